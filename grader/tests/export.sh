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
refuse 'Nobody is called' lti "$folder/results" --only nobody
refuse 'is no such export' csv "$folder/results" -o "$folder/junit"
refuse 'holds an export as gradescope' lti "$folder/results" -o "$folder/gradescope"
refuse 'cannot be written' csv "$folder/results" -o /nowhere/at/all.csv

if command -v xmllint >/dev/null 2>&1; then
    words=$(xmllint --noout "$folder/junit" 2>&1)
    say $? "xmllint reads it" "$words"
fi
if command -v node >/dev/null 2>&1; then
    words=$(node "$root/grader/tests/export.js" "$folder" 2>&1)
    say $? "node reads all formats, and finds the same points" "$words"
fi
finish
