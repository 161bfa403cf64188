#!/bin/sh
# damage.sh - a store that is damaged is told, and never read as another class: damage.sh FOLDER PROGRAM
# PROGRAM (test_export) fills a store. Of copies of it, pages are cleared, bytes are changed, ends are cut off, files beside it are lost:
# each time ./grade results and ./grade export either say so and end with 2, or show exactly what they showed before. Then backups,
# --recover and the log of points by hand.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 program=$2
rm -rf "$folder"
mkdir -p "$folder"
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
. "$root/grader/tests/outside.sh"

mkdir whole
if ! words=$("$program" --small-store whole 2>&1); then
    case $words in
    *SQLite*) echo "skip everything: $words"; echo "0 passed, 0 failed"; exit 0 ;;
    esac
    fail "a store is filled" "$words"
fi
grade results whole
cp "$out" right.txt
"$root/grade" export csv whole >right.csv 2>/dev/null
[ "$(wc -l <right.csv)" -gt 5 ] && pass "a store is filled" || fail "a store is filled" "its export is short" right.csv
page=4096
bytes=$(wc -c <whole/results.db)
pages=$((bytes / page))

fresh() { rm -rf hurt; cp -r whole hurt; }
told=0 same=0 bad=0
look() { # what: both commands, over `hurt`
    grade results hurt
    results=$status
    if [ $results = 2 ] && grep -q 'damaged: .*--recover' "$out" && ! grep -q 'students\{0,1\},' "$out"; then kind=told
    elif [ $results = 0 ] && cmp -s "$out" right.txt; then kind=same
    else kind=wrong; fi
    "$root/grade" export csv hurt >hurt.csv 2>hurt.err
    exported=$?
    if [ $kind = told ] && { [ $exported != 2 ] || [ -s hurt.csv ] || ! grep -q damaged hurt.err; }; then kind=wrong
    elif [ $kind = same ] && ! cmp -s hurt.csv right.csv; then kind=wrong; fi
    case $kind in
    told) told=$((told + 1)) ;;
    same) same=$((same + 1)) ;;
    *) bad=$((bad + 1)); fail "$1" "status $results, of the export $exported" "$out" ;;
    esac
}
sum() { # what must-be-told: all of a kind
    if [ $bad = 0 ] && { [ "$2" = any ] || [ $same = 0 ]; }; then pass "$1: $told told, $same without effect"; else
        fail "$1" "$bad wrong, $told told, $same the same"; fi
    told=0 same=0 bad=0
}

# ---- one page at a time ----

i=0
while [ $i -lt "$pages" ]; do
    fresh
    dd if=/dev/zero of=hurt/results.db bs=$page seek=$i count=1 conv=notrunc 2>/dev/null
    look "page $i cleared"
    i=$((i + 1))
done
sum "each page cleared" told
i=1
while [ $i -lt "$pages" ]; do
    fresh
    dd if=whole/results.db of=hurt/results.db bs=$page skip=$((i - 1)) seek=$i count=1 conv=notrunc 2>/dev/null
    look "page $i is another"
    i=$((i + 3))
done
sum "a page in another's place" told

# ---- bytes here and there, the same in every run ----

awk -v bytes="$bytes" 'BEGIN { srand(7); for (i = 0; i < 40; i++) print int(rand() * bytes), int(rand() * 255) + 1 }' |
    while read -r at by; do echo "$at $by"; done >places
while read -r at by; do
    fresh
    old=$(od -An -tu1 -j "$at" -N 1 hurt/results.db | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $(((old + by) % 256)))" | dd of=hurt/results.db bs=1 seek="$at" conv=notrunc 2>/dev/null
    look "byte $at changed"
done <places
sum "a byte changed" told
awk -v pages="$pages" 'BEGIN { srand(11); for (i = 0; i < 10; i++) { for (k = 0; k < 8; k++) printf "%d ", int(rand() * pages); print "" } }' >places
while read -r list; do
    fresh
    for at in $list; do
        head -c $page /dev/zero | tr '\0' '\252' | dd of=hurt/results.db bs=$page seek="$at" conv=notrunc 2>/dev/null
    done
    look "eight pages overwritten: $list"
done <places
sum "eight pages overwritten" told
for at in 0 16 17 18 19 20 21 24 28 32 36 40 44 52 56 60 64 72 92 96 100 101 103 105; do
    fresh
    old=$(od -An -tu1 -j $at -N 1 hurt/results.db | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((255 - old)))" | dd of=hurt/results.db bs=1 seek=$at conv=notrunc 2>/dev/null
    look "byte $at of the header changed"
done
sum "the header" told

# ---- files that end early, are something else, or are gone ----

for size in 0 1 99 100 512 4095 4096 8192 $((bytes / 2)) $((bytes - page)) $((bytes - 1)); do
    fresh
    head -c "$size" whole/results.db >hurt/results.db
    look "cut off behind $size bytes"
done
sum "cut off" told
fresh
echo "this is a letter to a student, and no database at all; $(cat right.txt)" >hurt/results.db
look "a text in its place"
fresh
sqlite3 hurt/other.db "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)" 2>/dev/null && mv hurt/other.db hurt/results.db && look "another database in its place"
fresh
rm hurt/results.db
look "the file is gone"
fresh
rm hurt/results.db && mkdir hurt/results.db
"$root/grade" results hurt >"$out" 2>&1
[ $? = 2 ] && told=$((told + 1)) || { bad=1; fail "a folder in its place" "it is read" "$out"; }
sum "something else" told
for beside in -wal -shm -journal; do
    fresh
    head -c 9000 /dev/urandom >"hurt/results.db$beside"
    look "rubbish in results.db$beside"
done
sum "rubbish beside it" any

# A WAL that is left over, as one is when a machine stops: bytes of it are changed, or it is cut off.
if command -v sqlite3 >/dev/null && mkfifo reader; then
    fresh && rm -rf left && mv hurt left
    sqlite3 left/results.db <reader >reads 2>&1 &
    exec 8>reader
    echo 'BEGIN; SELECT count(*) FROM meta;' >&8
    until [ -s reads ]; do sleep 0.05; done
    "$root/grade" results left --override anna=61 --reason "first" >/dev/null
    "$root/grade" results left --override anna=62 --reason "second" >/dev/null
    mkdir wal && cp left/results.db left/results.db-wal left/results.db-seal left/results.csv wal/
    exec 8>&-
    wait
    cp right.txt right.before && cp right.csv right.before.csv
    rm -rf hurt && cp -r wal hurt
    grade results hurt
    expect "a WAL that is left over" 0 "62/100"
    cp "$out" right.txt
    "$root/grade" export csv hurt >right.csv 2>/dev/null
    size=$(wc -c <wal/results.db-wal)
    for at in 0 4 16 24 30 40 100 $((size / 3)) $((size / 2)) $((size - 5000)) $((size - 1)); do
        rm -rf hurt && cp -r wal hurt
        old=$(od -An -tu1 -j "$at" -N 1 hurt/results.db-wal | tr -d ' ')
        # shellcheck disable=SC2059
        printf "\\$(printf %03o $((255 - old)))" | dd of=hurt/results.db-wal bs=1 seek="$at" conv=notrunc 2>/dev/null
        look "byte $at of the WAL changed"
        rm -rf hurt && cp -r wal hurt
        head -c "$at" wal/results.db-wal >hurt/results.db-wal
        look "the WAL cut off behind $at bytes"
    done
    rm -rf hurt && cp -r wal hurt && rm hurt/results.db-wal
    look "the WAL is gone"
    sum "a WAL that is left over and damaged" any
    mv right.before right.txt && mv right.before.csv right.csv
fi

# ---- a batch does not begin anew over a damaged store ----

mkdir -p class/anna
cp "$root/labs/lab3-bank-conflicts/lab3.cu" class/anna/
for size in 0 100 $((bytes / 2)); do
    fresh
    head -c "$size" whole/results.db >hurt/results.db
    grade batch lab3 class --virtual --stage tiled --out hurt
    expect "a batch over a store of $size bytes" 2 "is damaged" "--recover"
    [ "$(wc -c <hurt/results.db)" = "$size" ] && pass || fail "a batch over a store of $size bytes" "it was changed"
done

# ---- changes that were acknowledged and are gone: a WAL that was not carried into the file ----

fresh
cp hurt/results.db before.db
grade results hurt --override anna=55.5 --reason "oral exam"
expect "half points" 0 "55.5/100"
cp before.db hurt/results.db
grade results hurt
expect "an older copy of the store" 2 "the last changes of it are gone"
grade results hurt --recover
expect "the log knows it" 0 "By hand, put back: anna 55.5, by" "oral exam"
grade results hurt --only anna
expect "it is there again" 0 "55.5/100" "oral exam"
[ -s hurt/results.db-seal ] && pass "a recovered store is sealed" || fail "a recovered store is sealed" "it is not"
cp hurt/results.db after.db
cp before.db hurt/results.db
grade results hurt
expect "an older copy behind a recovery" 2 "the last changes of it are gone"
cp after.db hurt/results.db
for seal in gone empty junk; do
    cp -r hurt unsealed
    case $seal in gone) rm unsealed/results.db-seal ;; empty) : >unsealed/results.db-seal ;; junk) echo "-3 letters" >unsealed/results.db-seal ;; esac
    grade results unsealed
    expect "a seal that is $seal" 2 "results.db-seal beside it" "--recover"
    grade export csv unsealed
    expect "a seal that is $seal, exported" 2 "results.db-seal beside it"
    grade results unsealed --recover
    expect "a seal that is $seal, recovered" 0 "students are as results.csv had them"
    grade results unsealed --only anna
    expect "a seal that is $seal, made again" 0 "55.5/100"
    rm -rf unsealed
done
cp before.db hurt/results.db && cp whole/results.db-seal hurt/results.db-seal
for command in "results hurt" "export csv hurt" "page hurt"; do
    # shellcheck disable=SC2086
    grade $command
    expect "an older copy with its seal, $command" 2 "has not what by-hand.log says: anna 55.5" "--recover"
done
grade results hurt --recover
expect "an older copy with its seal, recovered" 0 "By hand, put back: anna 55.5"
grade results hurt --only anna
expect "its points by hand are back" 0 "55.5/100" "oral exam"

# ---- backups, and what is recovered ----

backups() { ls "$1/backups" | grep -c '^results-.*[.]db$'; }
lines() { grep -v '^The damaged\|^Recovered\|^There is no backup' "$out"; }
rm -rf class hurt
mkdir -p class/ben class/carl
cp "$root/labs/lab3-bank-conflicts/lab3.cu" class/ben/
echo "int broken = nothing;" >class/carl/lab3.cu
grade batch lab3 class --virtual --stage tiled --out results
expect "a class" 0 "2 submissions, 0 errors"
[ "$(backups results)" = 1 ] && pass "a batch leaves a backup" || fail "a batch leaves a backup" "there are $(backups results)"
grade results results --override ben=7+1 --reason "shown in the lab"
expect "points by hand" 0 "7/100 +1"
grade batch lab3 class --virtual --stage tiled --out results
expect "it is done again" 0 "2 of them unchanged"
[ "$(backups results)" = 2 ] && pass "each batch leaves one" || fail "each batch leaves one" "there are $(backups results)"
first=$(ls results/backups | tail -n 1)
for i in 0 1 2 3 4 5 6 7 8 9; do cp "results/backups/$first" "results/backups/results-2020-01-0${i}T00:00:00Z-00000001.db"; done
grade batch lab3 class --virtual --stage tiled --out results
[ "$(ls -A results/backups | grep -c .)" = 10 ] && [ -e "results/backups/$first" ] && [ ! -e results/backups/results-2020-01-01T00:00:00Z-00000001.db ] &&
    pass "the last ten stay" || fail "the last ten stay" "$(ls -A results/backups)"
grade results results --override ben=8 --reason "a slip"
grade results results
cp "$out" right.txt
grade export csv results -o right2.csv
rm -rf kept && cp -r results kept

recovered() { # what expected-status text...: `results` is damaged; --recover, and all is as it was
    name=$1
    grade results results
    expect "$name, told" 2 "is damaged"
    grade results results --recover
    shift
    expect "$name" "$@"
    grade results results
    [ "$status" = 0 ] && cmp -s "$out" right.txt && pass "$name: as before" || fail "$name" "results are others" "$out"
    [ -n "$(ls -d results/damaged-*)" ] && pass || fail "$name" "the damaged file is gone"
    rm -rf results && cp -r kept results
}
# Half of it, from the backup; points by hand from the log.
head -c $((2 * page)) kept/results.db >results/results.db
recovered "most of the store is gone" 0 "Recovered from results/backups/results-" "By hand, put back: ben 8" "2 students are as results.csv had them"
# The newest backup is damaged, too.
newest=$(ls results/backups | tail -n 1)
dd if=/dev/zero of="results/backups/$newest" bs=$page seek=3 count=1 conv=notrunc 2>/dev/null
: >results/results.db
recovered "the newest backup is damaged, too" 0 "1 newer backup is damaged, too" "2 students are as"
# No backup: what can be read of the file.
rm -r results/backups
at=$(($(wc -c <results/results.db) / page - 1))
lost=0
while [ $at -ge 1 ]; do
    rm -rf results && cp -r kept results && rm -r results/backups
    dd if=/dev/zero of=results/results.db bs=$page seek=$at count=1 conv=notrunc 2>/dev/null
    grade results results --recover
    first=$status
    cp "$out" said
    grade results results
    if [ "$status" = 0 ] && [ $first = 0 ] && cmp -s "$out" right.txt; then :
    elif [ $first = 2 ] && grep -q '^Not recovered: \|^Nothing can be recovered' said; then lost=$((lost + 1))
    else fail "page $at without a backup" "recovered with $first, then $status" said; fi
    at=$((at - 1))
done
[ $lost -lt 12 ] && pass "without a backup, page by page: $lost lost something, and said what" || fail "without a backup" "$lost lost something"
# Nothing at all.
rm -rf results && cp -r kept results && rm -r results/backups
: >results/results.db
grade results results --recover
expect "nothing can be recovered" 2 "Nothing can be recovered"
grade batch lab3 class --virtual --stage tiled --out results
expect "the batch begins anew, with points by hand" 0 "By hand, put back: ben 8" "2 submissions, 0 errors"
grade results results --recover
expect "and nothing is left to recover" 0 "results.db is whole"
grade results results
cmp -s "$out" right.txt && pass "all is as before" || fail "all is as before" "results are others" "$out"
# A line of the log that was torn off.
rm -rf results && cp -r kept results
printf '2026-11-18T10:00:00Z\troot\tben\t7' >>results/by-hand.log
grade results results --override ben=9 --reason "again"
: >results/results.db
grade results results --recover
expect "a line that was torn off" 0 "By hand, put back: ben 9" "1 line of by-hand.log cannot be read"

# ---- the roster, the submissions, indexes ----

# The pages of a table or an index, by the tree below its first page: the kit's own files need no sqlite3 for it, this test does.
if command -v sqlite3 >/dev/null; then
    printf 'id,name,email\nben,Ben Ueno,ben@uni.edu\ncarl,"Orff, Carl",carl@uni.edu\ndora,Dora Maar,dora@uni.edu\n' >roster.csv
    rm -rf listed
    grade batch lab3 class --virtual --stage tiled --roster roster.csv --deadline 2030-01-01T00:00:00Z --out listed
    expect "a class with a roster" 0 "3 students"
    grade results listed
    cp "$out" listed.txt
    cp listed/results.csv listed.csv
    root_of() { sqlite3 "file:listed/results.db?immutable=1" "SELECT rootpage FROM sqlite_master WHERE name = '$1'"; }
    hurt_page() { # name: its first page is cleared, in a copy; there is no backup
        rm -rf results && cp -r listed results
        [ "${2:-}" ] || rm -r results/backups
        dd if=/dev/zero of=results/results.db bs=$page seek=$(($(root_of "$1") - 1)) count=1 conv=notrunc 2>/dev/null
    }
    for name in student override sqlite_autoindex_student_1 attempt_source stage_attempt case_attempt finding_attempt measurement_attempt sqlite_autoindex_submission_1; do
        [ -n "$(root_of $name)" ] || continue
        hurt_page $name
        grade results results --recover
        expect "$name is lost" 0 "3 students are as results.csv had them"
        grade results results
        cmp -s "$out" listed.txt && cmp -s results/results.csv listed.csv && pass || fail "$name is lost" "results are others" "$out"
    done
    hurt_page student && rm results/results.csv
    hurt_page student kept
    rm results/results.csv
    grade results results --recover
    expect "the roster comes from the backup" 0 "Recovered from results/backups/results-"
    grade results results
    cmp -s "$out" listed.txt && pass "all of it" || fail "the roster comes from the backup" "results are others" "$out"
    # Gradings are lost: nobody who has handed in is missing, and the table keeps what it had.
    hurt_page attempt
    grade results results --recover
    expect "gradings are lost" 2 "Not recovered: ben had 0 points (graded) in results.csv, and has no points (not graded yet) now." "--roster, --deadline and --late"
    cmp -s results/results.csv listed.csv && pass || fail "gradings are lost" "results.csv has less than before" results/results.csv
    grade results results
    expect "they are not missing" 0 "not graded yet" "Ben Ueno"
    [ "$(grep -c 'missing' "$out")" = "$(grep -c 'missing' listed.txt)" ] && pass || fail "they are not missing" "somebody is" "$out"
    grade export csv results
    expect "an export is not complete" 2 "not graded yet"
    grade batch lab3 class --virtual --stage tiled --roster roster.csv --deadline 2030-01-01T00:00:00Z --out results
    grade results results
    cmp -s "$out" listed.txt && pass "a batch brings them back" || fail "a batch brings them back" "results are others" "$out"
    hurt_page meta
    grade results results --recover
    expect "what the class was told is lost" 2 "Not recovered: what the class was told"
    # Cut off behind any page: a grading is there if all tables are that it has rows in, and both are, or none. Nothing else matters, not even
    # their indexes: as long as its first pages are there, the store is recovered, and says whose gradings are gone.
    needs=$(sqlite3 "file:listed/results.db?immutable=1" "SELECT max(pageno) FROM dbstat WHERE name IN ('attempt', 'environment', 'stage', 'testcase', 'finding', 'measurement')")
    least=$(root_of sqlite_autoindex_meta_1) last=$(($(wc -c <listed/results.db) / page - 1)) flaws=
    [ "$least" -lt "$needs" ] && [ "$needs" -lt $last ] && pass || fail "a file that was cut off" "the test itself: $least, $needs, $last"
    for at in $(seq "$least" $last); do
        rm -rf results && cp -r listed results && rm -r results/backups
        head -c $((at * page)) listed/results.db >results/results.db
        grade results results --recover
        first=$status
        grep -o 'damaged file alone, [0-9]* gradings' "$out" >said
        grep -o '^Not recovered: [a-z]* had' "$out" >>said
        grade results results
        if [ "$at" -ge "$needs" ]; then
            [ $first = 0 ] && [ "$(cat said)" = "damaged file alone, 2 gradings" ] && cmp -s "$out" listed.txt || flaws="$flaws $at"
        else
            [ $first = 2 ] && [ "$(cat said)" = "damaged file alone, 0 gradings
Not recovered: ben had
Not recovered: carl had" ] && [ "$(grep -c 'not graded yet$' "$out")" = 2 ] && cmp -s results/results.csv listed.csv || flaws="$flaws $at"
        fi
    done
    [ -z "$flaws" ] && pass "a file that was cut off behind any of $last pages: gradings that are whole survive, no others" || fail "a file that was cut off" "behind page$flaws" "$out"
fi

# ---- a store of the version before ----

if command -v sqlite3 >/dev/null; then
    rm -rf results && cp -r kept results
    rm -r results/results.db-seal results/backups
    sqlite3 kept/results.db .dump | sed "s/INSERT INTO meta VALUES('version','3')/INSERT INTO meta VALUES('version','2')/" >dump
    rm results/results.db && sqlite3 results/results.db <dump
    grade results results
    cmp -s "$out" right.txt && pass "a store without checksums is read" || fail "a store without checksums is read" "otherwise" "$out"
    grade batch lab3 class --virtual --stage tiled --out results
    expect "and gets them" 0 "2 of them unchanged"
    [ "$(od -An -tu1 -j 20 -N 1 results/results.db | tr -d ' ')" = 8 ] && pass || fail "and gets them" "it has none"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
