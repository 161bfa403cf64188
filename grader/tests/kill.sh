#!/bin/sh
# kill.sh - a batch that is killed at many random moments and started again: nothing is lost, nothing is there twice, and in the end its
# store holds what that of an undisturbed batch holds, apart from times: kill.sh FOLDER [MOMENTS] [SEED]
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 moments=${2:-50} seed=${3:-$(date +%s)}
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
. "$root/grader/tests/store.sh"
echo "seed $seed"

# So many that the last moment still finds something to do.
mkdir class
for i in $(seq $((moments + moments / 2 + 4))); do
    case $i in
    *5) echo "int broken$i = nothing;" >"class/s$i.cu" ;;
    *9) mkdir "class/s$i" ;;
    *) { cat "$root/solutions/lab3-bank-conflicts/lab3.cu"; echo "// $i"; } >"class/s$i.cu" ;;
    esac
done
count=$(ls class | wc -l)
batch() { "$root/grade" batch lab3 class --virtual --stage tiled --out "$1" >"$1.log" 2>&1 </dev/null; }

# Between 0.1 and 4 seconds, most of them early: there a batch opens its store and plans.
random_moment() { # number
    awk -v seed="$seed" -v n="$1" 'BEGIN { srand(seed + n); r = rand(); printf "%.3f\n", 0.1 + 3.9 * r * r }'
}
# Records that were told to be done: a line for each in the batch's words.
told() { grep -cE '^s[0-9]+ ' killed.log 2>/dev/null; }
stored() { sqlite3 killed/results.db 'SELECT count(*) FROM attempt' 2>/dev/null || echo 0; }
is_sound() { [ ! -e killed/results.db ] || [ "$(sqlite3 killed/results.db 'PRAGMA integrity_check')" = ok ]; }

before=0
for moment in $(seq "$moments"); do
    batch killed &
    pid=$!
    sleep "$(random_moment "$moment")"
    victim=$(pgrep -P $pid -x grade | head -n 1)
    kill -KILL "${victim:-$pid}" 2>/dev/null
    wait $pid 2>/dev/null
    said=$(told) has=$(stored)
    if is_sound && [ "$has" -ge $((before + ${said:-0})) ]; then pass; else
        fail "moment $moment" "$before were there, ${said:-0} were told, $has are there" killed.log
    fi
    before=$has
done
if [ "$before" -lt "$count" ]; then pass "the last moment found something to do"; else fail "the last moment found something to do" "all was done"; fi
batch killed
status=$?
cp killed.log "$out"
expect "it goes on to its end" 0 "$count submissions, 0 errors"
batch whole
status=$?
cp whole.log "$out"
expect "one that nobody disturbs" 0 "$count submissions, 0 errors"
for one in killed whole; do store_dump $one >$one.txt; done
if diff killed.txt whole.txt >"$out"; then pass "both stores hold the same"; else fail "both stores hold the same" "they differ" "$out"; fi
if diff -r -x "results.db*" -x backups killed whole >"$out"; then pass "so do tables and reports"; else fail "so do tables and reports" "they differ" "$out"; fi
left=$(ls "$TMPDIR")
if [ -z "$left" ]; then pass "nothing temporary is left"; else fail "nothing temporary is left" "$left"; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
