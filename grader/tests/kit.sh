#!/bin/sh
# kit.sh - what students get: kit.sh FOLDER
# No file of it shows a solution; it is built and grades by itself, from nothing, without a word about what it lacks.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
passed=0 failed=0
pass() { passed=$((passed + 1)); echo "pass $1"; }
fail() { failed=$((failed + 1)); echo "FAIL $1: $2"; }
unset MAKEFLAGS MFLAGS MAKELEVEL

rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if sh "$root/grader/kit/pack.sh" "$folder" >"$folder/log" 2>&1; then pass "it is packed"; else fail "it is packed" "$(cat "$folder/log")"; fi
kit=$folder/warpstep

# ---- nothing in it is a solution ----

# Five lines in a row of a solution that neither the skeleton nor the baseline has, whatever their blanks: "file:line". Handouts show
# pieces of three or four, of how an interface is called and of what a question is about.
cat >"$folder/search.awk" <<'END'
function plain(text) { sub(/\/\/.*/, "", text); gsub(/[ \t\r]/, "", text); return text }
function is_code(text) { return length(text) > 12 && text ~ /[;{)=]/ && text !~ /^(\/\*|\*|#include)/ }
FNR == 1 { n = 0 }
{
    line = plain($0)
    if (!is_code(line))
        next
    a = b; b = c; c = d; d = e; e = line
    if (++n < 5)
        next
    piece = a "\n" b "\n" c "\n" d "\n" e
    if (FILENAME ~ /\/solutions\//)
        secret[piece] = FILENAME ":" FNR
    else if (FILENAME in known)
        delete secret[piece]
    else if (piece in secret)
        print FILENAME ":" FNR ", as " secret[piece]
}
END
search() { # kit: prints what is found
    find "$1" -type f ! -path '*/labs/*' ! -path '*/skeletons/*' ! -name '*.svg' ! -name '*.png' >"$folder/others"
    set -- "$root"/solutions/*/*.cu
    for lab in "$root"/labs/*/; do set -- "$@" "$lab"*.cu "$lab"*.h; done
    open=
    for lab in "$root"/labs/*/*.cu "$root"/labs/*/*.h; do open="$open $lab"; done
    # shellcheck disable=SC2046
    awk -v open="$open" 'BEGIN { n = split(open, list, " "); for (i = 1; i <= n; i++) known[list[i]] = 1 } '"$(cat "$folder/search.awk")" \
        "$@" $(cat "$folder/others")
}
found=$(search "$kit")
if [ -z "$found" ]; then pass "no file shows a solution"; else fail "no file shows a solution" "$(echo "$found" | head -n 5)"; fi
# The search itself finds what it looks for.
cp -r "$kit/handouts" "$folder/shown"
sed -n '60,110p' "$root/solutions/lab3-bank-conflicts/lab3.cu" >>"$folder/shown/primer.md"
if [ -n "$(search "$folder/shown")" ]; then pass "a solution that is shown would be found"; else fail "a solution that is shown" "it was not found"; fi
for name in solutions grader/tests .git .ci handouts/instructor.md; do
    if [ -e "$kit/$name" ]; then fail "what stays with instructors" "$name is there"; else pass "no $name"; fi
done
found=$(find "$kit" -name '*.patch' -o -name tests -o -name bench)
if [ -z "$found" ]; then pass "no tests, no benches, no patches"; else fail "no tests, no benches, no patches" "$found"; fi
for lab in "$root"/labs/*/; do
    name=$(basename "$lab")
    cmp -s "$lab/${name%%-*}.cu" "$kit/common/lab/skeletons/$name/${name%%-*}.cu" || fail "the skeletons" "$name is another"
done
pass "the skeletons are the labs'"
dead=$(cd "$kit" && grep -rhoE --include=*.md '\]\([a-zA-Z0-9_./-]+\.md' README.md handouts | sed 's/](//' | sort -u |
    while IFS= read -r link; do [ -e "$link" ] || [ -e "handouts/$link" ] || echo "$link"; done)
if [ -z "$dead" ]; then pass "links lead to pages that are there"; else fail "links" "$dead"; fi

# ---- it works by itself ----

mkdir "$folder/unpacked"
tar -xzf "$folder/warpstep.tar.gz" -C "$folder/unpacked"
cd "$folder/unpacked/warpstep" || exit 1
if make -s lab3 >"$folder/log" 2>&1; then pass "make lab3"; else fail "make lab3" "$(tail -n 5 "$folder/log")"; fi
says() { # what status words command...
    what=$1 want=$2 words=$3
    shift 3
    "$@" >"$folder/log" 2>&1
    got=$?
    if [ "$got" = "$want" ] && tr -s ' \n' '  ' <"$folder/log" | grep -qF -- "$words"; then pass "$what"; else fail "$what" "status $got: $(tail -n 5 "$folder/log")"; fi
}
says "the skeleton has no points" 0 "0 of 100 points" ./grade lab3 --virtual
cp "$root/solutions/lab3-bank-conflicts/lab3.cu" labs/lab3-bank-conflicts/lab3.cu
says "who solves it has all" 0 "100 of 100 points" ./grade lab3 --virtual
says "explain" 0 "Kernel padded_kernel" ./grade explain lab3.padded --virtual
says "hint" 0 "padded" ./grade hint lab3.padded --virtual
says "a page" 0 "page.html" ./grade explain lab3.padded --virtual --html page.html
if grep -q '"reference":{"warp_instructions":' page.html; then pass "with the reference's counters"; else fail "the page" "there are no counters of the reference"; fi
says "by hand" 0 "padded right" sh -c 'make -s lab3 VIRTUAL=1 && build/lab3 padded'
says "reset" 0 "lab3" ./grade reset lab3
says "the list" 0 "lab10" ./grade
says "help" 0 "labN" make help
if grep -qE '^  (test|check|bench)' "$folder/log"; then fail "help" "it names tests that are not there"; else pass "help names no tests"; fi
says "doctor" 0 "" ./grade doctor

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
