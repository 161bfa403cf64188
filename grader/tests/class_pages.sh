#!/bin/sh
# class_pages.sh - pages of a class: what they show is what the store has, whatever people are called: class_pages.sh FOLDER
# Four submissions are graded, a class of twenty is made of them (class_made.sh), and ./grade page makes all kinds of pages, which are
# looked at in a browser (common/page/tests/look.sh with class_check.js).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
. "$root/grader/tests/class_made.sh"

says() { # what truth [why]
    if [ "$2" = 0 ]; then pass "$1"; else fail "$1" "${3:-no}"; fi
}

mkdir -p subs web
for name in solved racing; do mkdir subs/$name && cp "$root"/solutions/lab3-*/lab3.cu subs/$name/; done
(cd subs/racing && patch -s -p1 lab3.cu "$root/grader/tests/mistakes/lab3/missing-barrier.patch")
mkdir subs/skeleton subs/broken && cp "$root"/common/lab/skeletons/lab3-*/lab3.cu subs/skeleton/ && echo 'int x = ;' >subs/broken/lab3.cu
grade batch lab3 subs --out results --gpu h200
expect "a class is graded" 0 "4 submissions, 0 errors"
make_class results

# ---- what is written ----

grade page results -o web/class.html --pages
expect "the class and its students" 0 "20 students' pages are in: web/pages/" "The page is web/class.html"
[ "$(find web/pages -type f | wc -l)" = 20 ] && [ "$(find web -type f | wc -l)" = 22 ] && [ "$(wc -l <web/pages.csv)" = 21 ]
says "everybody has a page, and nothing lies elsewhere" $? "$(ls web/pages)"
[ "$(ls web/pages | tr 'A-Z' 'a-z' | sort | uniq -d)" = "" ] && ! ls web/pages | grep -qvE '^[0-9a-f]{20}[.]html$'
says "names of files are plain, differ on every file system, and cannot be guessed from ids" $? "$(ls web/pages)"
ls web/pages >before
grade page results -o web/class.html --pages
ls web/pages | cmp -s - before
says "they are the same in every run" $?
grade page results
expect "beside the store unless it is told otherwise" 0 "The page is results/class.html"
! grep -q "graded on the virtual GPU as h200, to compare" "$out"
says "the kit's solution is graded once" $?
sqlite3 results/results.db "SELECT value FROM meta WHERE key LIKE 'solution on h200%'" | grep -q '^tiled 2[.]1'
says "its figures are kept" $?

grade page results --anonymous -o web/anonymous.html
expect "without names" 0 "The page is web/anonymous.html"
sed -n '/id="data"/,/<.script>/p' web/anonymous.html >data
[ "$(grep -c '"name":"[A-Z][a-z]*-[0-9a-f]*"' data)" = 20 ]
says "everybody has a pseudonym" $?
found=$(while IFS= read -r name; do
    [ ${#name} -lt 4 ] || ! grep -qF -- "$(printf '%s' "$name" | sed 's/</\\u003c/g')" data || echo "$name"
done <results/names; grep -o 'Ada\|Gail\|oral exam\|ada@\|no room' data)
[ -z "$found" ]
says "nobody is named, and nothing that names" $? "$found"

printf '# who wants to\nsolved\n\n  far-too-fast \nnobody\n' >names.txt
grade page results --leaderboard --names names.txt -o web/board.html
expect "the fastest" 0 'names.txt: nobody in the class has the id `nobody`' "The page is web/board.html"
names() { grep -o '"name":"[^"]*"' "$1" | sort; }
[ "$(names web/board.html | grep -c 'Ada\|far-too-fast')" = 2 ] && [ "$(names web/board.html | grep -cE '"[A-Z][a-z]+-[0-9a-f]{5}"')" = 17 ]
says "those are named who wanted it, and nobody else" $? "$(names web/board.html)"
before=$(names web/board.html)
grade page results --leaderboard --names names.txt -o web/board.html
[ "$before" = "$(names web/board.html)" ]
says "pseudonyms stay" $?
mkdir other && store_plain results other && sqlite3 other/results.db "DELETE FROM meta WHERE key = 'salt'"
grade page other --leaderboard --names names.txt -o other.html
names web/board.html >one && names other.html >two
[ "$(comm -12 one two | grep -vc 'Ada\|far-too')" = 0 ] && [ "$(grep -c Ada two)" = 1 ]
says "another class has others" $?
grep -q 'measured on GPUs, and vendors. libraries, are not set beside them' web/board.html
says "it says where figures come from" $?
# On an H200 the table of the handouts has figures, with the library's where there is one.
sqlite3 other/results.db "UPDATE environment SET backend = 'gpu', gpu = 'NVIDIA H200'"
grade page other --leaderboard -o other.html
grep -q 'handouts/h200.csv, measured by make bench on NVIDIA H200, ' other.html && grep -q '"tiled":{"speedup":1.80' other.html
says "figures of an H200 are for an H200" $? "$(grep -o '"reference".*' other.html | head -c 300)"
sqlite3 other/results.db "UPDATE environment SET gpu = 'Tesla T4'"
grade page other --leaderboard -o other.html
grep -q '"stages":{}' other.html
says "and for no other GPU" $?

# ---- pages of nobody go; what is no page of the kit stays, and so does what lies elsewhere ----

grade page results --pages
expect "pages beside the results" 0 "20 students' pages are in: results/pages/"
one=$(ls results/pages | head -n 1)
cp "results/pages/$one" results/pages/anna.html
cp "results/pages/$one" results/pages/00000000000000000000.html
cp "results/pages/$one" results/pages/00000000000000000000.tiled.html
cp "results/pages/$one" "results/pages/${one%.html}.tiled.html"
cp "results/pages/$one" web/pages/anna.html
echo '<p>mine</p>' >results/pages/index.html
grade page results --pages
expect "pages of nobody" 0 "3 pages of nobody in the class are removed."
[ "$(ls results/pages | wc -l)" = 22 ] && [ -e "results/pages/${one%.html}.tiled.html" ] && [ -e results/pages/index.html ] && [ ! -e results/pages/anna.html ]
says "those alone" $? "$(ls results/pages)"
grade page results -o web/class.html --pages
[ -e web/pages/anna.html ]
says "not from a folder that may be others' as well" $? "$(ls web/pages)"
rm web/pages/anna.html

# ---- words for what cannot be ----

grade page nowhere
expect "no results" 2 "There are no results in nowhere"
grade page results -o nowhere/class.html
expect "no folder" 2 "nowhere/class.html cannot be written: No such file"
grade page results --anonymous --pages
expect "a page of one student has a name" 2 "a student's page has a name"
grade page results --names names.txt
expect "names are for the board" 2 "--names is for --leaderboard"
grade page results --leaderboard --names nowhere
expect "no file of names" 2 "nowhere cannot be read: No such file"
grade page results --pages --explain some
expect "explain what" 2 "--explain wants lost or all, not \`some\`"
grade page results --pages --only nobody-here
expect "nobody" 2 "Nobody in the class is called \`nobody-here\`"

# ---- as a browser shows them ----

put_store results | sed 's/</\\u003c/g' >store.js
(cd web && ls pages) >list
for page in $(cat list); do cp "web/pages/$page" "web/student-$page"; done # side by side: the check opens what lies beside it
grep -o '"page":"[^"]*"' web/class.html | sed 's/.*:"//; s/"//' | sort >linked
sort list | cmp -s - linked
says "everybody is linked to" $? "$(sort list | diff - linked)"
looked=$(CHECK="$folder/store.js $root/grader/tests/class_check.js" sh "$root/common/page/tests/look.sh" "$folder/web" class.html anonymous.html board.html \
    $(sed 's/^/student-/' list))
echo "$looked"
passed=$((passed + $(echo "$looked" | grep -c '^pass '))) failed=$((failed + $(echo "$looked" | grep -c '^FAIL ')))

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
