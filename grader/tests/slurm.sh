#!/bin/sh
# slurm.sh - a class over a real Slurm of one node: tasks that are killed and a node that dies cost time, and nothing else:
# slurm.sh FOLDER [SUBMISSIONS]
# Wants root, Slurm and munge (`make setup-slurm`).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 count=${2:-60}
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
. "$root/grader/tests/store.sh"
cluster() { sh "$root/grader/tests/slurm_cluster.sh" "$1" "$folder/cluster"; }
cluster start || { echo "0 passed, 1 failed"; exit 1; }
trap 'cluster stop; rm -rf "$TMPDIR"' EXIT
export SLURM_CONF="$folder/cluster/slurm.conf"

# ---- a class: most of it right, each text its own; some that do not compile, and one that is no submission ----

mkdir class
for i in $(seq "$count"); do
    case $i in
    *7) echo "int broken$i = nothing;" >"class/s$i.cu" ;;
    13) mkdir class/s13 && echo text >class/s13/notes.txt ;;
    *) { cat "$root/solutions/lab3-bank-conflicts/lab3.cu"; echo "// $i"; } >"class/s$i.cu" ;;
    esac
done
"$root/grade" batch lab3 class --virtual --stage tiled --out here >here.log 2>&1
status=$?
cp here.log "$out"
expect "the class on this machine" 0 "$count submissions, 0 errors"

# ---- the same over Slurm, with a task and the node's daemon killed midway ----

"$root/grade" batch lab3 class --virtual --stage tiled --out there --slurm --chunk 12 >there.log 2>&1 </dev/null &
pid=$!
tasks() { pgrep -f "grade batch lab3 .*--list .*there/slurm"; }
until [ -n "$(tasks)" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.2; done
sleep 4
kill -KILL $(tasks) 2>/dev/null && pass "a task was killed" || fail "a task was killed" "there was none"
sleep 5
if kill -KILL "$(cat cluster/slurmd.pid)" 2>/dev/null; then pass "the node's daemon was killed"; else fail "the node's daemon was killed" "it was not there"; fi
sleep 3
cluster slurmd
wait $pid
status=$?
cp there.log "$out"
expect "the class over Slurm" 0 "$count submissions, 0 errors"
for one in here there; do store_dump $one >$one.txt; done
if diff here.txt there.txt >"$out"; then pass "both stores hold the same"; else fail "both stores hold the same" "they differ" "$out"; fi
if diff here/results.csv there/results.csv >"$out"; then pass "both tables are the same"; else fail "both tables are the same" "they differ" "$out"; fi
reports=$(ls there/*.json | wc -l)
if [ "$reports" = "$count" ]; then pass "every report is there"; else fail "every report is there" "there are $reports"; fi
if [ -e there/slurm ]; then fail "nothing is left" "there is there/slurm"; else pass "nothing is left"; fi

# ---- what has not changed is not given out; what has, is ----

echo "// changed" >>class/s1.cu
"$root/grade" batch lab3 class --virtual --stage tiled --out there --slurm --chunk 12 >"$out" 2>&1 </dev/null
status=$?
expect "one that has changed" 0 "$((count - 1)) of them unchanged" "s1 "
"$root/grade" batch lab3 class --virtual --stage tiled --out there --slurm --sbatch-args "--no-such-option" >"$out" 2>&1 </dev/null
status=$?
expect "nothing to do" 0 "$count of them unchanged"

# ---- a batch that is stopped cancels its tasks, and goes on later ----

rm -rf there
"$root/grade" batch lab3 class --virtual --stage tiled --out there --slurm --chunk 12 >there.log 2>&1 </dev/null &
pid=$!
until [ -n "$(tasks)" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.2; done
sleep 3
kill -TERM $pid
wait $pid
cp there.log "$out"
grep -q "the same command goes on" there.log && pass "it says how to go on" || fail "it says how to go on" "it does not" "$out"
sleep 3
left=$(squeue -h)
if [ -z "$left" ]; then pass "no task is left"; else fail "no task is left" "$left"; fi
"$root/grade" batch lab3 class --virtual --stage tiled --out there --slurm --chunk 20 >"$out" 2>&1 </dev/null
status=$?
expect "it goes on" 0 "$count submissions, 0 errors"
store_dump there >there.txt

"$root/grade" batch lab3 class --virtual --stage tiled --out other --slurm --sbatch-args "--no-such-option" >"$out" 2>&1 </dev/null
status=$?
expect "what sbatch refuses" 2 "sbatch has refused the job"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
