# class_made.sh - to be read in by tests: a class of twenty from four submissions that were graded, with names of every kind; what the
# store has is copied, so that it takes no time. Makes $1/results.db; the names are in $1/names.
. "$root/grader/tests/store.sh"

clone() { # folder, whose, new name, changes of the attempt, changes of the stages
    whose=$(printf '%s' "$2" | sed "s/'/''/g") name=$(printf '%s' "$3" | sed "s/'/''/g")
    printf '%s\n' "$3" >>"$1/names"
    sqlite3 "$1/results.db" <<SQL
CREATE TEMP TABLE old AS SELECT number FROM attempt WHERE student = '$whose' LIMIT 1;
CREATE TEMP TABLE new AS SELECT max(number) + 1 AS number FROM attempt;
CREATE TEMP TABLE a AS SELECT * FROM attempt WHERE number IN old;
UPDATE a SET number = (SELECT number FROM new), source = '$name', student = '$name'${4:+, $4};
INSERT INTO attempt SELECT * FROM a;
INSERT INTO submission SELECT source, student, number, 1 FROM a;
CREATE TEMP TABLE s AS SELECT * FROM stage WHERE attempt IN old;
UPDATE s SET attempt = (SELECT number FROM new)${5:+, $5};
INSERT INTO stage SELECT * FROM s;
CREATE TEMP TABLE f AS SELECT * FROM finding WHERE attempt IN old;
UPDATE f SET attempt = (SELECT number FROM new);
INSERT INTO finding SELECT * FROM f;
SQL
}

# Late ones lose half of points and bonus together, from the points first.
make_class() { # folder of results, of a batch that has graded solved, skeleton, racing and broken
    : >"$1/names"
    store_plain "$1" "$1"
    sqlite3 "$1/results.db" "INSERT OR REPLACE INTO meta VALUES('deadline', '2026-03-01T12:00:00Z'), ('late', '50%/day, most 50%');
        INSERT INTO student(id, name, email, section, place) VALUES('solved', 'Ada <b>L.</b> Solved', 'ada@example.org', 'A', 1), ('gone', 'Gail \"Gone\"', '', 'B', 2);
        INSERT INTO override VALUES('skeleton', 42, 3, 'an oral exam; <i>really</i>', '2026-03-05T10:00:00Z');"
    clone "$1" solved "<script>hacked=1</script>" "submitted = '2026-03-01T11:00:00Z'"
    clone "$1" solved "<img src=x onerror=hacked=1>" "submitted = '2026-03-01T13:00:00Z'"
    clone "$1" solved "O'Hara \"Q\" & Söhne" "" "speedup = speedup * 0.9"
    clone "$1" solved "$(printf 'مريم \342\200\217العربية')" "" "speedup = speedup * 0.7, points = min(points, 12)"
    clone "$1" racing "$(printf '\360\237\220\263 whale')" "took_s = 400"
    clone "$1" racing "$(printf 'n%.0s' $(seq 200))"
    clone "$1" solved "far-too-fast" "" "speedup = speedup * 3"
    clone "$1" skeleton "../../etc/passwd" "status = 'crashed', message = 'Stage tiled: <script>hacked=1</script>'"
    clone "$1" skeleton "..." "status = 'timed out', message = 'Stage tiled: it does not end'"
    clone "$1" skeleton "Robert'); DROP TABLE student;--" "status = 'error', message = 'no room on the disk'"
    clone "$1" solved "same"
    clone "$1" solved "Same"
    clone "$1" solved "SAME" "submitted = '2026-02-01T13:00:00Z'" "speedup = speedup * 1.1"
    clone "$1" racing "-rf"
    clone "$1" broken "con" "is_late = 1"
}

# What pages must show, as STORE.
put_store() { # folder
    sqlite3 "$1/results.db" <<'SQL'
CREATE TEMP VIEW now AS SELECT a.*, a.submitted > '2026-03-01T12:00:00Z' OR (a.is_late AND a.submitted = '') AS late
  FROM attempt a JOIN submission s ON s.attempt = a.number WHERE s.is_present;
CREATE TEMP VIEW everybody AS SELECT student AS id FROM now UNION SELECT id FROM student;
CREATE TEMP VIEW judged AS SELECT * FROM now WHERE status <> 'error';
SELECT 'const STORE = ' || json_object(
  'students', (SELECT json_group_array(json_object('name', coalesce(w.name, e.id), 'status', coalesce(n.status, 'missing'), 'late', coalesce(n.late, 0),
       'override', o.points IS NOT NULL,
       'points', coalesce(o.points, CASE WHEN n.status <> 'error' THEN (n.points + n.bonus) / (1.0 + n.late) - min(n.bonus, (n.points + n.bonus) / (1.0 + n.late)) END),
       'bonus', coalesce(o.bonus, CASE WHEN n.status <> 'error' THEN min(n.bonus, (n.points + n.bonus) / (1.0 + n.late)) END)))
     FROM everybody e LEFT JOIN now n ON n.student = e.id LEFT JOIN student w ON w.id = e.id LEFT JOIN override o ON o.student = e.id),
  'stages', (SELECT json_group_array(json_object('id', id, 'full', full, 'part', part, 'none', (SELECT count(*) FROM judged) - full - part,
       'timed', timed, 'slowest', slowest, 'fastest', fastest)) FROM (SELECT t.id, sum(t.points >= t.most AND j.number IS NOT NULL) AS full,
       sum(t.points > 0 AND t.points < t.most AND j.number IS NOT NULL) AS part, sum(t.speedup > 0) AS timed,
       min(CASE WHEN t.speedup > 0 THEN t.speedup END) AS slowest, max(t.speedup) AS fastest
     FROM stage t JOIN now n ON n.number = t.attempt LEFT JOIN judged j ON j.number = t.attempt GROUP BY t."row")),
  'findings', (SELECT json_group_array(json_object('title', title, 'students', students)) FROM
     (SELECT f.title, count(DISTINCT n.student) AS students FROM finding f JOIN now n ON n.number = f.attempt WHERE f.title <> '' GROUP BY f.title))) || ';';
SQL
}
