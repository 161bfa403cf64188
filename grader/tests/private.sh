#!/bin/sh
# private.sh - names and grades are nobody else's: whatever the umask, only their owner reads what a batch, a grading, an export and a
# page write; and whatever names hold, they steer no terminal and break no line: private.sh FOLDER
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
skeleton=$root/common/lab/skeletons/lab3-bank-conflicts/lab3.cu
[ -e "$skeleton" ] || skeleton=$root/labs/lab3-bank-conflicts/lab3.cu

# ---- a roster, folders and archives with everything that a terminal obeys ----

esc=$(printf '\033') bel=$(printf '\007') c1=$(printf '\302\233') rlo=$(printf '\342\200\256') tab=$(printf '\t') sep=$(printf '\342\200\250')
mkdir -p class/anna class/ben "class/carl${esc}[31m" "class/do${tab}ra" "class/emil
second" "class/fritz${rlo}gnp"
for one in class/*; do cp "$skeleton" "$one/lab3.cu"; done
mv class/ben/lab3.cu "class/ben/${esc}]0;owned${bel}lab3 (1).cu"
(cd class/anna && tar -czf "../gu${esc}[2Jnther.tar.gz" lab3.cu)
cat >roster.csv <<END
id,name,email,section
anna,"${esc}[31mAnna${esc}]0;owned${bel} ${c1}5mExample","anna@example.org${esc}[H","A${tab}B"
ben,"Ben
Second${tab}Third",ben@example.org,"1
2"
hanna,"${rlo}annaH${sep}x","h${esc}[2J@example.org",C
"id${esc}[7m
x",Ida,ida@example.org,C
END
clean() { # what: the last output has no control but line breaks, and no row is broken
    if LC_ALL=C grep -q "[$(printf '\001')-$(printf '\010')$(printf '\011')$(printf '\013')-$(printf '\037')$(printf '\177')]" "$out" || grep -q "$c1\|$rlo\|$sep" "$out"; then
        LC_ALL=C od -c "$out" | head -n 40 >shown
        fail "$1" "controls reach the screen" shown
    elif grep -q '^second\|^Second\|^2"\|^x' "$out"; then fail "$1" "a row is broken" "$out"
    else pass "$1: names are clean"; fi
}
umask 000
mkdir results && chmod 777 results
seen() { # what jobs leave open to all while they are at work
    until [ -e done ]; do find "$TMPDIR"/warpstep.*/ -maxdepth 1 \( -name 'safe.*' -o -name 'box.*' -o -name taken -o -name 'explain-*' \) -perm /007 2>/dev/null; sleep 0.05; done
}
seen >open &
grade batch lab3 class --virtual --stage tiled --roster roster.csv --out results
touch done
wait
expect "hostile names" 0 "7 submissions, 0 errors" "In no roster: " "Missing, no submission: "
clean "batch"
[ ! -s open ] && pass "nobody reads what is at work" || fail "nobody reads what is at work" "folders are open" open
grade results results
expect "results" 0 "4 students, 2 graded, 2 missing; in no roster: 5 graded"
clean "results"
[ "$(grep -c '/100 ' "$out")" = 9 ] && pass || fail "results" "not a row for each" "$out"
for who in anna ben hanna "emil\\x0asecond" "carl\\x1b[31m"; do
    grade results results --only "$who"
    expect "results --only $who" 0
    clean "results --only $who"
done
grade results results --override "anna=5" --reason "oral${esc}[31m exam
second line${tab}${rlo}x"
expect "results --override" 0 "5/100"
clean "results --override"
[ "$(wc -l <results/by-hand.log)" = 1 ] && pass || fail "by-hand.log" "a line is broken" results/by-hand.log
for wrong in "--only x${esc}[31my" "--override x${esc}[31m=5"; do
    # shellcheck disable=SC2086
    grade results results $wrong --reason x
    clean "results $wrong"
done
for format in csv canvas moodle junit; do
    grade export $format results
    clean "export $format"
    grade export $format results -o "export.$format"
    clean "export $format -o"
done
for format in gradescope autolab classroom50 prairielearn lti; do
    grade export $format results -o "export-$format"
    clean "export $format"
    cat export-$format/* >"$out"
    tr -d '\n' <"$out" >one && mv one "$out"
    clean "files of export $format"
done
grade page results --pages
expect "pages" 0
clean "page"
printf 'x\033[31my\n' >names.txt
grade page results --leaderboard --names names.txt -o board.html
clean "page --leaderboard"
grade lab3.tiled --virtual
grade lab3.tiled --virtual --file "class/ben/${esc}]0;owned${bel}lab3 (1).cu"
clean "a file"

# ---- who may read all of this ----

narrow() { # what path...: nobody else
    what=$1
    shift
    find "$@" -perm /077 ! -type l >wide
    if [ -s wide ]; then fail "$what" "others can read it" wide; else pass "$what is its owner's alone"; fi
}
narrow "with umask 000, all of it" results export.* export-* board.html points
umask 022
rm -rf wide-results && cp -r results wide-results
chmod -R a+rX wide-results points
grade batch lab3 class --virtual --stage tiled --out wide-results --only anna --regrade anna
expect "results that others could read" 0
[ -z "$(find wide-results -maxdepth 0 -perm /077)" ] && pass "their folder is closed" || fail "their folder is closed" "it is open"
for command in "results wide-results" "export csv wide-results" "page wide-results -o wide.html" "results wide-results --override anna=none"; do
    chmod 755 wide-results
    # shellcheck disable=SC2086
    grade $command
    [ -z "$(find wide-results -maxdepth 0 -perm /077)" ] && pass "it is closed: $command" || fail "it is closed: $command" "it is open"
done
mkdir shared && echo "a colleague's" >shared/notes.txt && chmod 755 shared
grade batch lab3 class --virtual --stage tiled --out shared
expect "a folder that others use" 2 "shared holds other files" "--out shared/results"
[ -n "$(find shared -maxdepth 0 -perm 755)" ] && [ "$(ls shared)" = notes.txt ] && pass "it stays as it is" || fail "it stays as it is" "$(ls -la shared)"
grade results shared
expect "a folder without results" 2 "There are no results"
[ -n "$(find shared -maxdepth 0 -perm 755)" ] && pass || fail "a folder without results" "it was closed"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 711 "$folder"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$root/grade" results "$folder/wide-results" >"$out" 2>&1
    status=$?
    if grep -q 'There are no results' "$out" || [ $status = 0 ]; then fail "another user's results" "status $status" "$out"; else pass "another user's results"; fi
fi
grade lab3.tiled --virtual --file "$skeleton"
grade lab3.tiled --virtual
[ -z "$(find points -maxdepth 0 -perm /077)" ] && pass "and that of one's own points" || fail "and that of one's own points" "it is open"
rm -rf wide-results && grade batch lab3 class --virtual --stage tiled --out wide-results --only anna
narrow "with umask 022, a batch" wide-results

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
