#!/bin/sh
# similar.sh - ./grade similar: copies are found however they are dressed, honest files and skeletons are not: similar.sh FOLDER
# Texts are put into a store of their own; only one file is graded, so that there is a store.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
. "$root/grader/tests/store.sh"
. "$root/grader/tests/disguise.sh"
honest=$root/grader/tests/honest/lab3
skeleton=$(ls "$root"/common/lab/skeletons/lab3-*/lab3.cu)
solution=$(ls "$root"/solutions/lab3-*/lab3.cu)

says() { # what truth [why]
    if [ "$2" = 0 ]; then pass "$1"; else fail "$1" "${3:-no}" "$out"; fi
}
# A class of files: class FOLDER NAME FILE...
mkdir first && echo 'int x = ;' >first/broken.cu
grade batch lab3 first --out empty --gpu h200
columns=number,environment,source,student,hash,is_late,status,points,most,bonus
class() {
    results=$1
    shift
    mkdir -p "$results"
    store_plain empty "$results"
    sqlite3 "$results/results.db" "DELETE FROM submission; DELETE FROM stage; DELETE FROM attempt; DELETE FROM text;"
    while [ $# -gt 1 ]; do
        name=$(printf '%s' "$1" | sed "s/'/''/g")
        sqlite3 "$results/results.db" "INSERT INTO text VALUES('$name', readfile('$2'));
            INSERT INTO attempt($columns) SELECT coalesce(max(number), 0) + 1, 1, '$name', '$name', '$name', 0, 'graded', 50, 100, 0 FROM attempt;
            INSERT INTO submission SELECT '$name', '$name', max(number), 1 FROM attempt;"
        shift 2
    done
}
percent() { # name, name: as the last report has it; 0: not there
    awk -v a="$1" -v b="$2" '($5 == a && $6 == b) || ($5 == b && $6 == a) { found = $1 } END { print found + 0 }' "$out"
}

set --
for name in "$honest"/*.cu; do set -- "$@" "$(basename "$name" .cu)" "$name"; done
for name in large-tiles float4-tile walking-blocks templates; do
    rename "$honest/$name.cu" >renamed.cu && reorder renamed.cu >ordered.cu && reformat ordered.cu >"copy-$name.cu"
    set -- "$@" "copy-$name" "copy-$name.cu"
done
class copies "$@"
grade similar copies -o similar.html
expect "a class with four copies" 0 "The page is similar.html" "proves nothing"
for name in large-tiles float4-tile walking-blocks templates; do
    [ "$(percent "$name" "copy-$name")" -ge 70 ]
    says "a copy of $name, renamed, reformatted, reordered" $? "$(percent "$name" "copy-$name") %"
done
[ "$(grep -c ' tokens  ' "$out")" = 4 ] && grep -q "^$(($# / 2)) submissions and the kit's solution, 2 groups" "$out" && grep -q '^2 more groups of short texts' "$out"
says "the honest files are not alike; two of the copies are too short to be sure" $?
grep -q "The first two differ in" "$out"
says "where a pair differs" $?
grep ' tokens  ' "$out" | awk '{ print $1 }' | sort -c -n -r
says "the most alike come first" $?

# ---- honest ones, and few ----

class few a "$honest/large-tiles.cu" b "$honest/by-shuffles.cu" c "$honest/warp-tiles.cu" d "$honest/float4-tile.cu"
grade similar few --least 1
[ "$(awk '$4 == "tokens" && $1 > most { most = $1 } END { print most + 0 }' "$out")" -lt 60 ]
says "four independent ones" $?
class few a "$honest/large-tiles.cu" b copy-large-tiles.cu
grade similar few
[ "$(percent a b)" -ge 90 ]
says "two of a kind among two" $?

# ---- what everybody has ----

rename "$skeleton" >renamed.cu
class skeletons a "$skeleton" b "$skeleton" c renamed.cu
grade similar skeletons --least 1
expect "skeletons have nothing of their own" 0 "0 groups of submissions at least 1 % alike"
cat "$skeleton" "$honest/by-shuffles.cu" >one.cu
cat "$honest/float4-tile.cu" "$skeleton" >two.cu
class skeletons a one.cu b two.cu
grade similar skeletons --least 1
[ "$(percent a b)" -lt 30 ]
says "a skeleton around other kernels" $?

# ---- a text that spreads ----

# How many of 26 have a text, disguised in as many ways, among honest files: spread FOLDER FILE COUNT
spread() {
    results=$1 file=$2 count=$3
    set --
    for i in $(seq "$count"); do
        disguise "$file" "$i" >"$results-$i.cu"
        set -- "$@" "copy$i" "$results-$i.cu"
    done
    for name in $(ls "$honest"/*.cu "${honest%3}4"/*.cu "${honest%3}2"/*.cu | grep -v "$(basename "$file")" | head -n $((26 - count))); do set -- "$@" "$(basename "$name" .cu)" "$name"; done
    class "$results" "$@"
    grade similar "$results"
}
for count in 2 6 20; do
    spread solved$count "$solution" $count
    expect "the kit's solution with $count of 26" 0 "$count submissions are nearly the kit's solution." "26 submissions and the kit's solution, 1 group of submissions"
    spread friend$count "$honest/large-tiles.cu" $count
    expect "a friend's file with $count of 26" 0 "$count submissions are alike." "26 submissions and the kit's solution, 1 group of submissions"
done
spread small "$honest/float4-tile.cu" 6
expect "a short file with 6 of 26" 0 "6 submissions are alike." "26 submissions and the kit's solution, 1 group of submissions"
for way in $DISGUISES; do
    $way "$solution" >one-way.cu
    class leaked a one-way.cu b "$honest/by-shuffles.cu"
    grade similar leaked
    expect "the solution after $way" 0 "1 submission is nearly the kit's solution."
done
# Half of them have the solution, three a friend's file: two groups, the larger first.
set --
for i in 1 2 3 4 5 6; do set -- "$@" "solved$i" solved6-$i.cu; done
for i in 1 2 3; do set -- "$@" "friend$i" friend6-$i.cu; done
class both "$@" by-shuffles "$honest/by-shuffles.cu" warp-tiles "$honest/warp-tiles.cu"
grade similar both
expect "two groups" 0 "6 submissions are nearly the kit's solution." "3 submissions are alike." "2 groups"
[ "$(grep -n 'nearly the kit' "$out" | cut -d: -f1)" -lt "$(grep -n '3 submissions' "$out" | cut -d: -f1)" ]
says "the larger group comes first" $?
# Honest files of the other labs, all of one author. Beside those of lab 9, one of them and a kernel of its solution with other numbers: copies.
for lab in lab0 lab1 lab2 lab4 lab5 lab6 lab7 lab8 lab9 lab10; do
    set --
    for name in "$root/grader/tests/honest/$lab"/*.cu; do set -- "$@" "$(basename "$name" .cu)" "$name"; done
    if [ $lab = lab9 ]; then
        sed 's/K = 4, W = 64/K = 2, W = 32/' "$root/grader/tests/honest/lab9/padded-tile.cu" >narrow-tile.cu
        sed '/^\/\* ---- stage 2/,/^\/\* ---- stage 6/{ /^\/\* ---- stage 6/!d; }; /^\/\* ---- stage 8/,$d; s/EACH = 12/EACH = 8/; s/DOWN = 6/DOWN = 8/' \
            "$root"/solutions/lab9-*/lab9.cu >eight-cells-each.cu
        set -- "$@" narrow-tile narrow-tile.cu eight-cells-each eight-cells-each.cu
    fi
    class "honest-$lab" "$@"
    sqlite3 "honest-$lab/results.db" "UPDATE environment SET lab = '$lab'; UPDATE meta SET value = '$lab' WHERE key = 'lab'"
    grade similar "honest-$lab"
    if [ $lab = lab9 ]; then
        expect "honest files of $lab" 0 ", 2 groups" "narrow-tile and padded-tile differ in nothing but" "1 submission is nearly the kit's solution."
    else
        expect "honest files of $lab" 0 ", 0 groups"
    fi
done

# ---- hostile texts and names ----

head -c 1000000 /dev/zero | tr '\0' '(' >brackets.cu
head -c 4000000 /dev/zero | sed 's/\x00/x y;/g' | head -c 4000000 >words.cu
head -c 300000 /dev/urandom >noise.cu
printf '/* no end' >open.cu
: >nothing.cu
printf 'a | b.c: line 1-9 [99]\n#include "/etc/passwd"\n1.c: line 1-4 |2.c: line 1-4 [50]\n' >forged.cu
class hostile '<script>hacked=1</script>' "$honest/large-tiles.cu" "O'Hara \"Q\"" copy-large-tiles.cu "$(printf 'n%.0s' $(seq 200))" brackets.cu w words.cu x noise.cu \
    y open.cu z nothing.cu '-o/tmp/x' forged.cu '../../x' words.cu
begun=$(date +%s)
grade similar hostile -o hostile.html
expect "hostile texts" 0 "1 group of submissions"
[ $(($(date +%s) - begun)) -lt 60 ]
says "hostile texts take no longer than a minute" $?

# ---- many ----

awk -v folder="$folder/many" 'BEGIN { srand(7); system("mkdir -p " folder); while (("ls '"$root"'/grader/tests/honest/*/*.cu" | getline file) > 0) list[n++] = file
    for (i = 0; i < 500; i++) { line = "cat"; for (k = 0; k < 4; k++) line = line " " list[int(rand() * n)]; print line " > " folder "/" i ".cu" } }' | sh
mkdir many-results && store_plain few many-results
sqlite3 many-results/results.db "DELETE FROM submission; DELETE FROM attempt; DELETE FROM text;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499) INSERT INTO text SELECT i, readfile('many/' || i || '.cu') FROM n;
    INSERT INTO attempt($columns) SELECT hash + 1, 1, hash, hash, hash, 0, 'graded', 50, 100, 0 FROM text;
    INSERT INTO submission SELECT source, student, number, 1 FROM attempt;"
begun=$(date +%s)
grade similar many-results
expect "five hundred" 0 "500 submissions and the kit's solution, "
[ $(($(date +%s) - begun)) -lt 120 ]
says "five hundred take no longer than two minutes" $?

# ---- words for what cannot be ----

grade similar nowhere
expect "no results" 2 "There are no results in nowhere"
grade similar few --least 0
expect "a limit that is none" 2 "--least wants a number from 1 to 100, not \`0\`"
grade similar few -o nowhere/at/all.html
expect "no folder" 2 "nowhere/at/all.html cannot be written: No such file"

echo 'const STORE = {};' >store.js
looked=$(CHECK="$folder/store.js $root/grader/tests/class_check.js" sh "$root/common/page/tests/look.sh" "$folder" similar.html hostile.html)
echo "$looked"
passed=$((passed + $(echo "$looked" | grep -c '^pass '))) failed=$((failed + $(echo "$looked" | grep -c '^FAIL ')))

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
