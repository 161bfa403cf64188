#!/bin/sh
# results.sh - an instructor's evening: a download of a platform, a roster, late ones, points by hand, regrades: results.sh FOLDER
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
solution=$root/solutions/lab3-bank-conflicts/lab3.cu
skeleton=$root/labs/lab3-bank-conflicts/lab3.cu

row() { # what pattern: results.csv has one row like this
    if [ "$(grep -cE -- "$2" results/results.csv)" = 1 ]; then pass "$1"; else fail "$1" "no row is like $2" results/results.csv; fi
}
says() { # text...: the last report
    for text; do
        if tr -s ' \n' '  ' <"$out" | grep -qF -- "$text"; then pass; else fail "$asked" "it does not say \"$text\"" "$out"; fi
    done
}

# ---- a download of Moodle, and its worksheet ----

moodle() { # name number file: a folder as Moodle names it
    mkdir -p "class/$1_$2_assignsubmission_file_"
    cp "$3" "class/$1_$2_assignsubmission_file_/${4:-lab3.cu}"
}
moodle "Ada Lovelace" 101 "$solution"
moodle "Blaise Pascal" 102 "$skeleton" "Lab3 (1).cu"
moodle "Carl Gauß" 103 "$skeleton"
echo "int broken = nothing;" >>"class/Carl Gauß_103_assignsubmission_file_/lab3.cu"
moodle "Dora Nobody" 104 "$solution" "notes.txt"
cat >roster.csv <<'END'
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (submission)"
"Participant 101","Ada Lovelace",ada@example.org,,,100,"Monday, 16 November 2026, 11:30 PM"
"Participant 102","Blaise Pascal",blaise@example.org,,,100,"Monday, 16 November 2026, 11:30 PM"
"Participant 103","Carl Gauß",carl@example.org,,,100,"Monday, 16 November 2026, 11:30 PM"
"Participant 104","Dora Nobody",dora@example.org,,,100,"Tuesday, 17 November 2026, 9:00 AM"
"Participant 105","Emil Absent",emil@example.org,,,100,-
END
grade batch lab3 class --virtual --stage tiled --roster roster.csv --out results
expect "a class" 0 "4 submissions, 0 errors of the kit" "Lab3 (1).cu was taken"
row "by the roster's number" '^Participant 101,30,100,0,30,,,,graded,.*,Ada Lovelace,ada@example.org,'
row "a file with another name" '^Participant 102,0,100,0,0,,,,graded,'
row "a broken build" '^Participant 103,0,100,0,0,,,,build failed,.*identifier ""nothing"" is undefined'
row "no submission in it" '^Participant 104,0,100,0,,,,,refused,lab3.cu: there is no lab3.cu.*notes.txt'
row "somebody who has handed in nothing" '^Participant 105,,100,,,,,,missing,'

# ---- looking at it ----

grade results results
expect "a list" 0 "Ada Lovelace Participant 101 30/100 graded" "Emil Absent Participant 105 -/100 missing" "5 students, 2 graded, 1 build failed, 1 refused, 1 missing" "Missing, no submission: Emil Absent"
grade results results --status "build failed"
expect "those alone" 0 "Carl" "1 student"
if grep -q Ada "$out"; then fail "those alone" "others are there" "$out"; else pass; fi
grade results results --sort points
expect "by points" 0 "Ada Lovelace"
if [ "$(sed -n 3p "$out" | cut -c 1-3)" = Ada ]; then pass; else fail "by points" "Ada is not the first" "$out"; fi
grade results results --only blaise@example.org
expect "one student" 0 "Blaise Pascal (Participant 102)" "2 tiled 0/30" "Lab3 (1).cu was taken for lab3.cu"
for both in "Participant 101,blaise@example.org" "Lovelace, Ada,Participant 102" "Blaise Pascal, ada lovelace"; do
    grade results results --only "$both"
    expect "several students: $both" 0 "Ada Lovelace (Participant 101)" "Blaise Pascal (Participant 102)"
    grade export csv results --only "$both"
    expect "several students, exported: $both" 0 "Participant 101,Ada Lovelace" "Participant 102,Blaise Pascal"
    [ "$(grep -c '^Participant' "$out")" = 2 ] && pass || fail "several students, exported" "others are there" "$out"
done
grade page results --pages --only "Lovelace, Ada,Participant 102" -o two.html
expect "several students' pages" 0 "2 students' pages are in: pages/"
[ "$(wc -l <pages.csv)" = 3 ] && pass || fail "several students' pages" "the index has others" pages.csv
rm -rf pages pages.csv two.html
for command in "results results" "export csv results" "page results --pages"; do
    # shellcheck disable=SC2086
    grade $command --only "Participant 101,Zoe"
    expect "one who is nobody: $command" 2 "Nobody in the class is called \`Zoe\`"
    # shellcheck disable=SC2086
    grade $command --only "Participant 101,Participant"
    expect "one who is several: $command" 2 "\`Participant\` is several: Participant 101, Participant 102"
done
grade export autolab results --only "Participant 101,Participant 102" -o folder
expect "a folder with files of two" 0 "2 files, and index.csv"
grade export autolab results --only "Participant 103,Participant 104" -o folder
[ "$(grep -c '^Participant' folder/index.csv)" = 4 ] && [ "$(ls folder | wc -l)" = 5 ] && pass "files of others stay" || fail "files of others stay" "$(ls folder)" folder/index.csv
rm -rf folder
grade export csv results -o own.csv
sed -i '1s/,tiled,/,tiled,another,/' own.csv
grade export csv results -o own.csv
expect "an export of other columns is replaced" 0
printf 'student,name\nada,Ada\n' >own.csv
grade export csv results -o own.csv
expect "a roster is not" 2 "is no such export"
rm own.csv
for points in 1e1 0x10 -3 5.25 " 7" ten; do
    grade results results --override "Participant 101=$points"
    expect "these are no points: $points" 2 "Points are whole or half ones, 85, 85.5 or 85+10, not \`$points\`"
done
grade results results --override "Participant 101=5"
expect "points without a reason" 2 "want a --reason"
grade results results --json
expect "for machines" 0 '"student":"Participant 101"' '"points":30' '"points":null'
for wrong in "--sort size" "--status good" "--only Zoe" "--override Ada" "--override Ada=none=" "--override Zoe=5 --reason x" "--late x"; do
    # shellcheck disable=SC2086
    grade results results $wrong
    expect "$wrong" 2
done
grade results nowhere
expect "no results" 2 "There are no results in nowhere"

# ---- a file name is put right; the others are not graded again ----

mv "class/Dora Nobody_104_assignsubmission_file_/notes.txt" "class/Dora Nobody_104_assignsubmission_file_/lab3.cu"
grade batch lab3 class --virtual --stage tiled --out results
expect "one that was put right" 0 "3 of them unchanged" "(Participant 104) 30/100"
row "it has its points" '^Participant 104,30,100,'

# ---- late by the worksheet's times, which are those of the deadline's zone; nothing is graded again ----

grade batch lab3 class --virtual --stage tiled --out results --deadline 2026-11-16T23:59+01:00 --late "10%/day, max 50%"
expect "a deadline" 0 "4 of them unchanged" "Deadline 2026-11-16T23:59:00+01:00"
row "late" '^Participant 104,27,100,0,30,.*,541 min,'
row "in time" '^Participant 101,30,100,0,30,'
grade results results --status late
expect "late ones" 0 "Dora Nobody" "1 student"
grade batch lab3 class --virtual --stage tiled --out results --late none
expect "no rule" 0 "4 of them unchanged"

# ---- another lab's file is not this lab's; a batch that was not finished says so ----

mkdir -p other/ann
cp "$solution" other/ann/lab3.cu
grade batch lab4 other --virtual --out other-results
expect "another lab's file" 0 "there is no lab4.cu"
grade batch lab3 class --virtual --stage tiled --roster roster.csv --out part --only "Ada Lovelace"
expect "one by name" 0 "(Participant 101) 30/100" "3 not graded yet"
grade results part --status "not graded yet"
expect "those that wait" 0 "Dora Nobody" "3 students"
grade results part
expect "who waits is not missing" 0 "5 students, 1 graded, 3 not graded yet, 1 missing Not graded yet: " "Missing, no submission: Emil Absent"
grade export moodle part -o part.csv
expect "an export of a part" 2 "not graded"

# ---- points by hand stay ----

grade results results --override "Carl Gauß=12+3" --reason "shown in the lab, =1+1"
expect "points by hand" 0 "12/100 +3" "By hand" "shown in the lab"
row "they are in the table" "^Participant 103,12,100,3,.*shown in the lab"
grade results results --override carl@example.org=120 --reason "a slip"
expect "more points than there are" 0 "120 points are more than the 100 that the lab has" "100+20"
grade results results --override "Carl Gauß=12+3" --reason "shown in the lab, =1+1"
if grep -q 'more than the' "$out"; then fail "points and bonus" "they are called too many" "$out"; else pass "points and bonus"; fi
grade results results --override carl@example.org=40
expect "without a reason" 2 "--reason"
grade results results --regrade failed
expect "a regrade" 0 "(Participant 103) build failed"
row "points by hand survive it" '^Participant 103,12,100,3,'
grade results results --override carl@example.org=none
expect "they are taken back" 0 "0/100"
row "they are taken back" '^Participant 103,0,100,0,'
grade results results --regrade "Ada Lovelace"
expect "one is graded again" 0 "(Participant 101) 30/100" "4 submissions"
if grep -q "Participant 102 " "$out"; then fail "one is graded again" "others are, too" "$out"; else pass; fi

# ---- late ones, as Canvas tells it; several of one student ----

mkdir canvas
cp "$solution" "canvas/doejane_LATE_1_11_lab3.cu"
cp "$skeleton" "canvas/roejon_2_21_lab3.cu"
cp "$solution" "canvas/roejon_2_22_lab3-1.cu"
grade batch lab3 canvas --virtual --stage tiled --out late --late "10%/day, most 50%"
expect "Canvas" 0 "3 submissions, 0 errors"
for pattern in '^doejane,27,100,0,30,.*,yes,' '^roejon,30,100,0,30,'; do
    if [ "$(grep -cE "$pattern" late/results.csv)" = 1 ]; then pass; else fail "Canvas" "no row is like $pattern" late/results.csv; fi
done
grade batch lab3 canvas --virtual --stage tiled --out late --late none --take best
expect "another rule grades nothing again" 0 "3 of them unchanged"
if grep -q '^doejane,30,' late/results.csv; then pass; else fail "another rule" "it does not hold" late/results.csv; fi
# ---- what does not count is told by every view ----

grade batch lab3 canvas --virtual --stage tiled --out again --late none
expect "an earlier one is known when it is graded" 0 "roejon 0/100; another submission counts" "With submissions that do not count: roejon"
uncounted="The last submission counts; not counted: roejon_2_21_lab3.cu (0 points)."
tells() { # what FILE TEXT
    if grep -qF -- "$3" "$2"; then pass "$1"; else fail "$1" "it does not say \"$3\"" "$2"; fi
}
tells "the table tells it" again/results.csv "$uncounted"
grade results again
expect "the list tells it" 0 "graded, 1 of 2 submissions counts" "With submissions that do not count: roejon"
grade results again --only roejon
expect "so does one student's" 0 "$uncounted"
grade results again --json
expect "and the one for scripts" 0 "\"uncounted\":\"$uncounted\""
grade page again --pages
tells "and the student's page" "$(grep -l '"name":"roejon"' again/pages/*.html | head -n 1)" "\"uncounted\":\"$uncounted\""
grade export csv again
expect "exports, too" 0 "$uncounted" "With submissions that do not count: roejon"
grade export moodle again
expect "in comments" 0 "$uncounted"
printf 'id,name,submitted\n1,Jane,2026-11-20 10:00\n2,Jon,2026-11-10 10:00\n' >times.csv
grade batch lab3 canvas --virtual --stage tiled --out again --late "10%/day, 0 after 2 days" --deadline 2026-11-16 --roster times.csv
expect "too late" 0 "With submissions that do not count: Jane, Jon"
grade results again
expect "too late, in the list" 0 "Jane 1 0/100 graded, too late to count"
grade results again --only Jane
expect "too late, for one" 0 "Too late to count; the rule is: 10%/day, 0 after 2 days."

# ---- Canvas' gradebook as the roster: its columns are in the export, without --gradebook ----

cat >gradebook.csv <<'END'
Student,ID,SIS User ID,SIS Login ID,Section,Lab 2 (11),Lab 3: transpose (12345),Current Score
    Points Possible,,,,,10,100,(read only)
"Doe, Jane",1,u-17,doejane@x.org,A 1,8,,70
"Roe, Jon",2,u-18,roejon@x.org,B 2,9,EX,80
"Poe, Ann",3,u-19,poeann@x.org,B 2,10,,90
END
canvas() { # what, roster, the first line, the last three: an export without --gradebook
    grade batch lab3 canvas --virtual --stage tiled --out again --late none --roster "$2"
    grade export canvas again
    grep -v '^[A-Z][^,"]*: ' "$out" | grep -v '^Missing\|^Nobody knows' >rows
    if [ "$(head -n 1 rows)" = "$3" ] && [ "$(tail -n 3 rows)" = "$4" ]; then pass "$1"; else fail "$1" "other rows" "$out"; fi
}
canvas "Canvas' columns come from the roster" gradebook.csv "Student,ID,SIS User ID,SIS Login ID,Section,Lab 3: transpose (12345)" \
    '"Doe, Jane",1,u-17,doejane@x.org,A 1,30
"Roe, Jon",2,u-18,roejon@x.org,B 2,EX
"Poe, Ann",3,u-19,poeann@x.org,B 2,'
if sqlite3 again/results.db "SELECT value FROM meta WHERE key = 'gradebook'" 2>/dev/null | grep -q ',8\|,70'; then fail "other grades" "they are kept"; else pass "no other grades are kept"; fi
sed 's/,Lab 3: transpose (12345)/,Lab 4 (9)/' gradebook.csv >other.csv
canvas "and the kit's heading where none names the lab" other.csv "Student,ID,SIS User ID,SIS Login ID,Section,bank conflicts: matrix transpose (lab3)" \
    '"Doe, Jane",1,u-17,doejane@x.org,A 1,30
"Roe, Jon",2,u-18,roejon@x.org,B 2,30
"Poe, Ann",3,u-19,poeann@x.org,B 2,'
printf 'Name,SIS User ID,SIS Login ID,Section\nJane Doe,u-17,doejane,A\nJon Roe,u-18,roejon,B\nAnn Poe,u-19,poeann,C\n' >short.csv
canvas "SIS columns alone" short.csv "Student,ID,SIS User ID,SIS Login ID,Section,bank conflicts: matrix transpose (lab3)" \
    'Jane Doe,,u-17,doejane,A,30
Jon Roe,,u-18,roejon,B,30
Ann Poe,,u-19,poeann,C,'
printf 'id,name\n1,Jane\n' >plain.csv
canvas "another roster takes them back" plain.csv "Student,ID,SIS User ID,SIS Login ID,Section,bank conflicts: matrix transpose (lab3)" \
    '    Points Possible,,,,,100
Jane,1,,,,30
roejon,2,,,,30'

for wrong in "--late soon" "--deadline tomorrow" "--take first" "--roster nowhere.csv" "--only zoe" "--regrade zoe" "--chunk 5"; do
    # shellcheck disable=SC2086
    grade batch lab3 canvas --virtual --out late $wrong
    expect "$wrong" 2
done

# ---- Gradescope's download with its top folder, names from its metadata, and as an archive ----

export=gradescope/assignment_7_export
mkdir -p $export/submission_11 $export/submission_12
echo 'int broken = ;' >$export/submission_11/lab3.cu
echo 'notes' >$export/submission_12/notes.txt
cat >$export/submission_metadata.yml <<'END'
submission_11:
  :submitters:
  - :name: Jane Doe
    :sid: '123456789'
    :email: jane@example.org
  :created_at: 2026-04-26 17:34:00.861687000 Z
submission_12:
  :submitters:
  - :name: "Jon \e[31mRoe"
    :sid: '987654321'
    :email: jon@example.org
  :created_at: 2026-04-27 17:34:00.861687000 Z
END
grade batch lab3 gradescope --virtual --stage tiled --out scoped
expect "a download with its top folder" 0 "2 submissions, 0 errors" "2 students, 1 build failed, 1 refused"
for pattern in '^123456789,0,100,.*,build failed,.*,Jane Doe,jane@example.org,.*,2026-04-26T17:34:00Z,' '^987654321,0,100,.*,refused,.*,jon@example.org,'; do
    if [ "$(grep -cE "$pattern" scoped/results.csv)" = 1 ]; then pass; else fail "a download with its top folder" "no row is like $pattern" scoped/results.csv; fi
done
grade results scoped --only "Jane Doe"
expect "a name from the metadata" 0 "Jane Doe (123456789)"
tar -czf gradescope.tar.gz -C gradescope assignment_7_export
grade batch lab3 gradescope.tar.gz --virtual --stage tiled --out packed
expect "an archive of a class" 0 "2 submissions, 0 errors"
if diff scoped/results.csv packed/results.csv >"$out"; then pass "it holds the same"; else fail "it holds the same" "rows differ" "$out"; fi
if command -v zip >/dev/null; then
    (cd gradescope && zip -q -r ../flat.zip .)
    grade batch lab3 flat.zip --virtual --stage tiled --out zipped
    expect "a zip of a class" 0 "2 submissions, 0 errors"
fi
grade batch lab3 gradescope.tar.gz --virtual
expect "an archive, and nowhere to go" 2 "--out"
head -c 200 gradescope.tar.gz >torn.tar.gz
grade batch lab3 torn.tar.gz --virtual --out torn
expect "an archive that is torn" 2 "torn.tar.gz cannot be unpacked"
mkdir evil && echo x >evil/lab3.cu && (cd evil && tar -czf ../evil.tar.gz -P --transform 's|^lab3|../../../escaped|' lab3.cu)
grade batch lab3 evil.tar.gz --virtual --out evil-results
if [ "$status" = 2 ] && [ -z "$(find . .. "$TMPDIR" -maxdepth 2 -name 'escaped*')" ]; then pass "an archive that climbs out"; else fail "an archive that climbs out" "status $status" "$out"; fi

# ---- late points are taken once, of points and bonus together; half points stay ----

grade batch lab3 canvas --virtual --stage tiled --out late --late "2.5/day"
expect "points by the day" 0 "3 of them unchanged"
if grep -q '^doejane,27.5,100,0,30,' late/results.csv; then pass "half points"; else fail "half points" "they are others" late/results.csv; fi

# ---- an id that changes takes points by hand, their line in the log and the report along ----

mkdir -p moving/anna-x moving/ben && cp "class/Dora Nobody_104_assignsubmission_file_/lab3.cu" moving/anna-x/ && cp moving/anna-x/lab3.cu moving/ben/
printf 'id,name,login\n7,Anna X,anna-x\n8,Ben,ben\n' >first.csv
printf 'id,name,login\n70,Anna X,anna-x\n8,Ben,ben\n' >second.csv
grade batch lab3 moving --virtual --stage tiled --roster first.csv --out moved
expect "ids of a roster" 0 "Anna X (7)" "2 submissions, 0 errors"
grade results moved --override 7=12.5 --reason "oral exam"
expect "points by hand" 0 "12.5/100"
grade batch lab3 moving --virtual --stage tiled --roster second.csv --out moved
expect "another id" 0 "2 of them unchanged"
grade results moved --only 70
expect "points by hand go along" 0 "12.5/100" "oral exam"
[ -e moved/70.json ] && [ ! -e moved/7.json ] && pass "so does the report" || fail "so does the report" "$(ls moved)"
: >moved/results.db
grade results moved --recover
expect "and the log knows" 0 "2 students are as results.csv had them"
grade results moved --only 70
expect "points by hand of the new id" 0 "12.5/100" "oral exam"

# ---- who leaves the folder; a store that is gone ----

# Folders without the file are refused at once, with 0 points: a grade as any other.
for name in a b c; do mkdir -p leaving/$name && echo notes >leaving/$name/notes.txt; done
grade batch lab3 leaving --virtual --out left
expect "three" 0 "3 students, 3 refused"
grade results left --override b=5 --reason "oral exam"
expect "points by hand" 0 "b 5/100"
rm -r leaving/b leaving/c
grade batch lab3 leaving --virtual --out left
expect "two have left, and one has points by hand" 0 "1 that was graded is no longer in leaving: c. Their points are gone from results.csv." "Missing, no submission: b"
if [ -e left/a.json ] && [ ! -e left/b.json ] && [ ! -e left/c.json ]; then pass "their reports leave, too"; else fail "their reports leave, too" "$(ls left)"; fi
grade batch lab3 leaving --virtual --out left
expect "who has left is told once" 0 "1 refused, 1 missing"
if grep -q "no longer" "$out"; then fail "who has left is told once" "again" "$out"; else pass; fi
grade results left --override b=none
expect "points by hand of one who is in no class any more" 0 "b has no points by hand any more." "no longer in the class"
mkdir leaving/c && echo notes >leaving/c/notes.txt
grade batch lab3 leaving --virtual --out left
expect "one comes back" 0 "2 students, 2 refused"
if [ -e left/c.json ]; then pass "so does the report"; else fail "so does the report" "$(ls left)"; fi
grade results left --override a=7.5+1 --reason "the last word"
expect "points by hand" 0 "7.5/100 +1"
grade results left --override c=3 --reason "and then none"
grade results left --override c=none
cp -r left table
rm left/results.db left/results.db-seal left/results.csv
grade batch lab3 leaving --virtual --out left
expect "a new store" 0 "By hand, put back: a 7.5+1, by" "the last word" "2 students, 2 refused"
if grep -q '^a,7.5,100,1,.*,the last word,' left/results.csv && grep -q '^c,0,100,0,' left/results.csv; then pass "it has the points by hand"; else fail "a new store" "its table has others" left/results.csv; fi
grade results left --only a
expect "and agrees with the log" 0 "7.5/100 +1" "the last word"
rm table/results.db table/results.db-seal
grade batch lab3 leaving --virtual --out table
expect "a table whose store is gone" 2 "is damaged: the file is gone" "--recover"
grade results table --recover
expect "which comes back" 0 "2 students are as results.csv had them"
# An older copy of the store: nothing is graded, and no table written, before it has what the log says.
cp -r left older
grade results older --override a=9 --reason "later"
cp left/results.db left/results.db-seal older/
echo '// new' >>leaving/a/notes.txt
cp older/results.csv before.csv
grade batch lab3 leaving --virtual --out older
expect "a batch over an older copy" 2 "has not what by-hand.log says: a 9 by hand" "--recover"
cmp -s before.csv older/results.csv && pass "leaves the table" || fail "a batch over an older copy" "the table has changed" older/results.csv

# ---- a roster that cannot be taken ----

printf 'id,name\na,Anna\nb,"Ben\nc,Carl\n' >open.csv
grade batch lab3 leaving --virtual --out left --roster open.csv
expect "a quote that is never closed" 2 "Line 3: a quote opens there and is never closed." "The roster open.csv is not stored: give it again."
printf 'id,name,email\na,Anna,\n,Ben,ben@x\n' >noid.csv
grade batch lab3 leaving --virtual --out left --roster noid.csv
expect "a row without an id" 2 "Line 3 has no id: Ben."
printf 'id,name\na,Anna\nb,Ben\n' >right.csv
grade batch lab3 leaving --virtual --out left --roster right.csv --late never
expect "a roster of a batch that does not begin" 2 "The roster right.csv is not stored: give it again."

# ---- times, and rules about them ----

printf 'id,name,submitted\na,Anna,"Dienstag, 17. November 2026"\nc,Carl,\n' >times.csv
grade batch lab3 leaving --virtual --out timed --late "10%/day" --roster times.csv
expect "a rule for late points, and no deadline" 2 "--late wants a --deadline"
grade batch lab3 leaving --virtual --out timed --roster times.csv --deadline 2026-02-30T10:00
expect "a day that is not" 2 "--deadline wants a time"
grade batch lab3 leaving --virtual --out timed --roster times.csv --late "10%/day" --deadline 2026-11-16
expect "a time that cannot be read" 0 'Anna cannot be late: "Dienstag, 17. November 2026" is no time that can be read.' "Nobody knows when these came, and they cannot be late: Carl" "late: 10%/day."
grade batch lab3 leaving --virtual --out timed --late "5/day"
expect "another rule, with the deadline of before" 0 "late: 5/day."

# ---- who is meant ----

mkdir -p "twins/Eve Mallory" twins/anna twins/zed
for name in "Eve Mallory" anna zed; do echo notes >"twins/$name/notes.txt"; done
printf 'id,name\ne1,Eve Mallory\ne2,Eve Mallory\nanna,Anna\n' >twins.csv
grade batch lab3 twins --virtual --out twinned --roster twins.csv
expect "two of one name" 0 "Eve Mallory could be several in the roster: e1, e2; rename it to the id that is meant" \
    "In the class: 3 students, 1 refused, 2 missing; in no roster: 2 refused" "Missing, no submission: Eve Mallory (e1), Eve Mallory (e2)"
grade results twinned
expect "two of one name, in the list" 0 "3 students, 1 refused, 2 missing; in no roster: 2 refused"
grade results twinned --reason "no points"
expect "a reason for nothing" 2 "--override WHO=POINTS --reason TEXT"
grade results twinned --regrade e1
expect "a regrade of one without a submission" 2 "\`e1\` is in the class, and has no submission in"
for list in anna,nobody "zed, nobody" nobody,anna; do
    grade batch lab3 twins --virtual --out twinned --only "$list"
    expect "some of a list are nobody: $list" 2 "is called \`nobody\`"
done
grade batch lab3 twins --virtual --out twinned --only "Anna, zed"
expect "a list" 0 "2 of them unchanged"
grade export moodle twinned
expect "what students are told" 0 "zed"
if grep -q "Taken so\|not in the roster" "$out"; then fail "what students are told" "of the roster" "$out"; else pass; fi

# ---- what is no submission ----

grade batch lab3 roster.csv --virtual --out csv
expect "a file that is no archive" 2 "roster.csv is neither a folder nor an archive by its name"
mkdir -p nested/anna && echo notes >nested/anna/notes.txt
grade batch lab3 nested --virtual
grade batch lab3 nested --virtual --out elsewhere
expect "results of another batch" 0 "1 submission, 0 errors"
mkdir -p nested/ben && printf ' \n\n' >nested/ben/lab3.cu
grade batch lab3 nested --virtual --out elsewhere
expect "an empty file" 0 "ben refused: lab3.cu is empty."
mkdir -p first && cp "$root"/labs/lab0-*/lab0.cu first/anna.cu
sed 's/$/\r/' first/anna.cu >first/ben.cu
grade batch lab0 first --virtual --out firsts
expect "a skeleton has broken nothing" 0 "anna 0/100" "ben 0/100" "2 students, 2 graded"
name=$(printf 'Jon \033[31mRoe')
mkdir -p "escaped/$name" && echo notes >"escaped/$name/notes.txt"
printf 'id,name\nj,%s\n' "$name" >escaped.csv
grade batch lab3 escaped --virtual --out escaped-results --roster escaped.csv
expect "a name with an escape is one name" 0 "Jon \\x1b[31mRoe (j)" "1 student, 1 refused"

# ---- a folder that nobody may write ----

if [ "$(id -u)" != 0 ]; then
    chmod -w results
    grade results results
    expect "results that cannot be written" 0 "Ada Lovelace"
    grade results results --override ada@example.org=1 --reason x
    expect "points that cannot be written" 2 "cannot be written"
    chmod +w results
elif mkdir -p fixed && mount --bind results fixed 2>/dev/null && mount -o remount,ro,bind fixed 2>/dev/null; then
    grade results fixed
    expect "results that cannot be written" 0 "Ada Lovelace"
    grade results fixed --override ada@example.org=1 --reason x
    expect "points that cannot be written" 2 "cannot be written"
    grade batch lab3 class --virtual --stage tiled --out fixed
    expect "a batch that cannot write" 2 "cannot be written"
    grade page fixed -o page.html
    expect "a page of results that cannot be written" 0 "The page is page.html"
    umount fixed
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
