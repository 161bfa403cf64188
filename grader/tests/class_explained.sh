#!/bin/sh
# class_explained.sh - students' pages with the stages that lost points explained: class_explained.sh FOLDER
# The pages are those of ./grade explain, made of the texts that the store has.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"

says() { # what truth [why]
    if [ "$2" = 0 ]; then pass "$1"; else fail "$1" "${3:-no}" "$out"; fi
}
mistake() { # name, of the patch
    mkdir -p "subs/$1" && cp "$root"/solutions/lab3-*/lab3.cu "subs/$1/" && (cd "subs/$1" && patch -s -p1 lab3.cu "$root/grader/tests/mistakes/lab3/$2.patch")
}
mistake racing missing-barrier
mistake 'Slow <b>one</b>' tile-not-padded
mkdir subs/solved subs/empty subs/broken subs/ghost && cp "$root"/solutions/lab3-*/lab3.cu subs/solved/
cp "$root"/common/lab/skeletons/lab3-*/lab3.cu subs/empty/ && echo 'int x = ;' >subs/broken/lab3.cu
grade batch lab3 subs --out results --gpu h200
expect "a class is graded" 0 "6 submissions, 0 errors"
rm -r subs # the store has the texts

grade page results --pages --explain lost -j 2
page_of() { sed -n "s/^$1,.*,\([0-9a-f]*\)[.]html\$/\1/p" results/pages.csv; }
racing=$(page_of racing) solved=$(page_of solved) slow=$(page_of 'Slow.*').padded.html
expect "stages that lost points are explained" 0 "$racing.tiled.html" "6 students' pages are in: results/pages/"
[ "$(ls results/pages | wc -l)" = 8 ] && [ -e "results/pages/$slow" ]
says "those alone" $? "$(ls results/pages)"
[ "$(grep -c 'no page: ' "$out")" = 4 ] && grep -q '4 stages could not be explained' "$out"
says "what launches no kernel is told" $?
grep -q '"moment":{' results/pages/$racing.tiled.html
says "a race can be played" $?
grep -q "\"href\":\"$racing.tiled.html\"" results/pages/$racing.html && grep -qF "\"href\":\"$slow\"" "results/pages/${slow%.padded.html}.html"
says "students' pages lead there" $?
grep -q "\"back\":\"$racing.html\"" results/pages/$racing.tiled.html && grep -qF "\"back\":\"${slow%.padded.html}.html\"" "results/pages/$slow"
says "and back" $?
! grep -q "$TMPDIR" results/pages/*.html
says "no temporary folder is named" $?
[ -z "$(ls "$TMPDIR")" ]
says "nothing is left behind" $? "$(ls "$TMPDIR")"
touch -d '2030-01-01' stamp results/pages/$racing.tiled.html
grade page results --pages --explain lost --only racing
expect "what is there stays" 0 "1 student's page is in"
! grep -q ' of 1 ' "$out"
says "what is there stays" $?
touch -d '2020-01-01' results/pages/$racing.tiled.html
grade page results --pages --only racing
! grep -q "\"href\":\"$racing.tiled.html\"" results/pages/$racing.html
says "what was graded again since is not led to" $?
grade page results --pages --explain all --only solved -j 2
expect "all stages" 0 "4 of 4"
[ "$(grep -o "\"href\":\"$solved[.][a-z]*[.]html\"" results/pages/$solved.html | wc -l)" = 4 ]
says "all stages are led to" $?

looked=$(sh "$root/common/page/tests/look.sh" "$folder/results/pages" $racing.tiled.html $solved.rows.html "$slow")
echo "$looked"
passed=$((passed + $(echo "$looked" | grep -c '^pass '))) failed=$((failed + $(echo "$looked" | grep -c '^FAIL ')))

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
