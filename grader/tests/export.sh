#!/bin/sh
# export.sh - exports of a class: export.sh FOLDER PROGRAM
# First PROGRAM's own tests; then a store that it fills, exported by ./grade export in every format. Where xmllint and node are
# installed, they read what was written, too; nothing depends on them.
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 program=$2
rm -rf "$folder"
mkdir -p "$folder/results" || exit 2
passed=0 failed=0
say() { # truth, case, why
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "pass $2"; else failed=$((failed + 1)); echo "FAIL $2: $3"; fi
}
finish() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
grade() { # words of ./grade export; standard output and error in files
    "$root/grade" export "$@" >"$folder/out" 2>"$folder/err"
    status=$?
}

units=$(sh "$root/common/vgpu/tests/run_unit.sh" "$program")
echo "$units" | grep -v -e ' cases$' -e ' passed, '
passed=$(echo "$units" | sed -n 's/^\([0-9]*\) passed, .*/\1/p') failed=$(echo "$units" | sed -n 's/.* passed, \([0-9]*\) failed/\1/p')

if ! words=$("$program" --store "$folder/results" 2>&1); then
    case $words in
    *SQLite*) echo "skip the command: $words" ;;
    *) say 1 "a store is filled" "$words" ;;
    esac
    finish
fi

# One of the class has no grade by a fault of the kit: each export says so and ends with 2.
for format in csv canvas moodle junit; do
    grade $format "$folder/results"
    [ $status = 2 ] && [ -s "$folder/out" ] && grep -q '^grade: lost has no grade, and none is exported: error' "$folder/err"
    say $? "$format to standard output, and who has no grade is told" "status $status: $(cat "$folder/err")"
    mv "$folder/out" "$folder/$format"
    grade $format "$folder/results" -o "$folder/$format.file"
    [ $status = 2 ] && cmp -s "$folder/$format" "$folder/$format.file" && [ ! -s "$folder/out" ]
    say $? "$format to a file" "status $status: $(cat "$folder/err")"
done
for format in gradescope autolab classroom50 prairielearn lti; do
    grade $format "$folder/results" --output "$folder/$format"
    count=$(ls "$folder/$format" | wc -l)
    [ $status = 2 ] && [ "$count" = "$(wc -l <"$folder/$format/index.csv")" ] && grep -q '^[0-9]* files, and index.csv' "$folder/out"
    say $? "$format to a folder" "status $status, $count files: $(cat "$folder/err")"
    grade $format "$folder/results" --only anna
    [ $status = 0 ] && [ -s "$folder/out" ]
    say $? "$format of one student" "status $status: $(cat "$folder/err")"
    grade $format "$folder/results" --only lost
    [ $status = 2 ] && [ ! -s "$folder/out" ] && grep -q 'has no grade' "$folder/err"
    say $? "$format of one without a grade" "status $status: $(cat "$folder/out" "$folder/err")"
done
grade csv "$folder/results" --only anna@example.org
[ $status = 0 ] && [ "$(cut -d, -f1 <"$folder/out" | tail -n 1)" = anna ]
say $? "one row" "status $status: $(cat "$folder/err")"

# ---- boards have what the kit's own has: stages that are right and without findings ----

"$root/grade" export gradescope "$folder/results" --only anna 2>/dev/null | tr '{' '\n' >"$folder/out"
! grep -q '"name":"speedup of padded"' "$folder/out" && grep -q '"name":"speedup of tiled"' "$folder/out"
say $? "Gradescope's board has no stage with findings" "$(grep speedup "$folder/out")"
"$root/grade" export autolab "$folder/results" --only anna 2>/dev/null | tail -n 1 >"$folder/out"
grep -q '"scoreboard":\[100,2.17,0.00,6.99,7.06' "$folder/out"
say $? "nor has Autolab's" "$(grep -o '"scoreboard".*' "$folder/out")"

# ---- who is where ----

grade csv "$folder/results"
grep -q '^In no roster: ' "$folder/err" && grep -q '^Missing, no submission: ' "$folder/err"
say $? "who is in no roster or missing is told" "$(cat "$folder/err")"
grade moodle "$folder/results"
grep -q 'rows have no `Participant` number: Moodle will skip them' "$folder/err"
say $? "Moodle without a worksheet" "$(cat "$folder/err")"
grade csv "$folder/results" --bom -o "$folder/bom.csv"
[ "$(head -c 3 "$folder/bom.csv" | od -An -tx1 | tr -d ' ')" = efbbbf ] && tail -c +4 "$folder/bom.csv" | cmp -s - "$folder/csv"
say $? "a mark for Excel" "$(head -c 60 "$folder/bom.csv")"
grade csv "$folder/results" -o "$folder/bom.csv" && [ $status = 2 ] && cmp -s "$folder/bom.csv" "$folder/csv"
say $? "and without it again" "status $status: $(cat "$folder/err")"

# ---- Canvas' own gradebook: its heading, its rows ----

cat >"$folder/gradebook.csv" <<'END'
Student,ID,SIS User ID,SIS Login ID,Section,Lab 2 (11),"Lab 3: transpose, tiles (12345)",Lab 31 (13),Current Score
,,,,,Manual Posting,,,
    Points Possible,,,,,10,100,10,(read only)
"Example, Anna",901,u901,anna,A,5,,,77
"Lost, L.",902,lost,u902,A,5,3,,77
"Excused, E.",903,Anna,e903,B,,EX,,77
"Other, O.",904,u904,o904,B,,7,,77
END
grade canvas "$folder/results" --gradebook "$folder/gradebook.csv"
printf '%s\n' 'Student,ID,SIS User ID,SIS Login ID,Section,"Lab 3: transpose, tiles (12345)"' >"$folder/want"
printf '%s\n' '    Points Possible,,,,,100' '"Example, Anna",901,u901,anna,A,100' '"Lost, L.",902,lost,u902,A,' >>"$folder/want"
grep -v Excused "$folder/out" | cmp -s - "$folder/want" && grep -q ' is not in the gradebook' "$folder/err"
say $? "the gradebook's heading and rows" "$(cat "$folder/out" "$folder/err")"
sed 's/^"Example, Anna"/"Example,\tAnna\nMaria"/; s/,anna,A,/,anna,"A\n1",/' "$folder/gradebook.csv" >"$folder/broken.csv"
grade canvas "$folder/results" --gradebook "$folder/broken.csv"
grep -q '^"Example, Anna Maria",901,u901,anna,A 1,' "$folder/out"
say $? "line breaks and tabs in its cells become blanks" "$(cat "$folder/out" "$folder/err")"
grade canvas "$folder/results" --gradebook "$folder/gradebook.csv" --column "lab 2"
head -n 1 "$folder/out" | grep -q ',Lab 2 (11)$'
say $? "another column" "$(cat "$folder/out" "$folder/err")"

refuse() { # what it says, words of ./grade export
    says=$1
    shift
    grade "$@"
    [ $status = 2 ] && grep -q "$says" "$folder/err" && [ ! -s "$folder/out" ]
    say $? "$* is refused" "status $status: $(cat "$folder/err")"
}
refuse 'There is no format `excel`. There are csv' excel "$folder/results"
refuse 'a file for each student' lti "$folder/results"
refuse 'no results of a class' csv "$folder/nowhere"
refuse 'Nobody in the class is called' lti "$folder/results" --only nobody
refuse 'is no such export' csv "$folder/results" -o "$folder/junit"
refuse 'holds an export as gradescope' lti "$folder/results" -o "$folder/gradescope"
refuse 'is not clear: say --column' canvas "$folder/results" --gradebook "$folder/gradebook.csv" --column Exam
refuse 'no gradebook of Canvas' canvas "$folder/results" --gradebook "$folder/csv"
refuse 'cannot be written' csv "$folder/results" -o /nowhere/at/all.csv

# ---- a folder of other files stays as it is, and so does the mode of any folder that is there ----

mkdir -m 755 "$folder/foreign" "$folder/empty"
echo mine >"$folder/foreign/notes.txt"
refuse 'holds other files; an export has a folder of its own: name another, -o .*/foreign/lti' lti "$folder/results" -o "$folder/foreign"
[ "$(ls "$folder/foreign")" = notes.txt ] && [ "$(stat -c %a "$folder/foreign")" = 755 ]
say $? "a folder of other files stays as it is" "$(ls -la "$folder/foreign")"
for round in first second; do
    grade lti "$folder/results" -o "$folder/empty"
    [ $status = 2 ] && [ -s "$folder/empty/index.csv" ] && [ "$(stat -c %a "$folder/empty")" = 755 ] && [ -z "$(find "$folder/empty" -type f -perm /077)" ]
    say $? "an empty folder keeps its mode, the $round time" "status $status: $(ls -la "$folder/empty")"
done
grade lti "$folder/results" -o "$folder/foreign/lti"
[ "$(stat -c %a "$folder/foreign/lti")" = 700 ]
say $? "a new one is nobody else's" "$(ls -la "$folder/foreign")"

if command -v xmllint >/dev/null 2>&1; then
    words=$(xmllint --noout "$folder/junit" 2>&1)
    say $? "xmllint reads it" "$words"
fi
if command -v node >/dev/null 2>&1; then
    words=$(node "$root/grader/tests/export.js" "$folder" 2>&1)
    say $? "node reads all formats, and finds the same points" "$words"
fi
finish
