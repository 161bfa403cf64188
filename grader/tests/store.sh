# store.sh - to be read in by tests: what a store holds, as text, apart from times and from the numbers that SQLite gives.
# What sqlite3 writes into a store counts as damage. store_plain makes one that it may write: a store of the version without checksums.
store_plain() { # from to: folders of results, perhaps the same
    sqlite3 "$1/results.db" .dump | sed "s/^INSERT INTO meta VALUES('version','3')/INSERT INTO meta VALUES('version','2')/" >"$2/dump.sql"
    rm -f "$2/results.db" "$2/results.db-seal"
    sqlite3 "$2/results.db" <"$2/dump.sql"
    rm "$2/dump.sql"
}
store_dump() { # folder of results
    sqlite3 "$1/results.db" <<'END'
.mode list
.separator |
SELECT 'meta', key, value FROM meta WHERE key NOT IN ('folder', 'salt') ORDER BY key;
SELECT 'attempt', a.source, a.student, a.hash, a.note, a.submitted, a.is_late, a.status, a.message, a.points, a.most, a.bonus, a.seed,
       e.lab, e.stages, e.backend, e.gpu, e.toolkit, e.kit, a.number = s.attempt, s.is_present
  FROM attempt a JOIN environment e ON e.number = a.environment JOIN submission s ON s.source = a.source ORDER BY a.source, a.number;
SELECT 'stage', a.source, t."row", t.id, t.title, t.points, t.most, t.is_bonus, t.is_right, t.is_clean, t.has_concept, t.speedup,
       t.needed, t.time_us, t.baseline_us, t.symptom, t.hint, t.message
  FROM stage t JOIN attempt a ON a.number = t.attempt ORDER BY a.source, a.number, t."row";
SELECT 'case', a.source, t.stage, t.name, t.is_right, t.symptom, t.text FROM testcase t JOIN attempt a ON a.number = t.attempt
 ORDER BY a.source, a.number, t.rowid;
SELECT 'finding', a.source, t.stage, t.severity, t.symptom, t.title, t.place, t.text FROM finding t JOIN attempt a ON a.number = t.attempt
 ORDER BY a.source, a.number, t.rowid;
SELECT 'measurement', a.source, t.stage, t.name, t.value FROM measurement t JOIN attempt a ON a.number = t.attempt ORDER BY a.source, a.number, t.rowid;
SELECT 'student', id, name, email, section, place FROM student ORDER BY place;
SELECT 'override', student, points, bonus, reason FROM override ORDER BY student;
SELECT 'text', hash, length(bytes) FROM text ORDER BY hash;
END
}
