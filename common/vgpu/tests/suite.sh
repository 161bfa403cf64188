#!/bin/sh
# suite.sh - runs one suite of tests and prints one line about it: suite.sh FOLDER NAME COMMAND...
# COMMAND says "FAIL case: why" for each failure and ends with "N passed, N failed"; its output is kept in FOLDER/NAME.log,
# the two numbers, and seconds of CPU time, in FOLDER/NAME.result. A command that ends without its last line counts as a failure.
# A suite whose cases can be run alone, by ONLY=case, begins with "N cases" and says "pass case" or "FAIL case: why" for each.
here=$(dirname "$0")
folder=$1 name=$2
shift 2
mkdir -p "$folder"
log=$folder/$name.log
rm -f "$folder/$name.result"
: >"$log"

if [ -t 1 ]; then
    while printf '\r\033[K%s' "$(sh "$here/status.sh" "$folder")"; do sleep 1; done &
    watcher=$!
    trap 'kill $watcher; exit 130' INT TERM
fi
begin=$(date +%s)
"$@" >"$log" 2>&1
status=$?
seconds=$(($(date +%s) - begin))
# What it computed, with all that it started: other suites run at the same time.
times >"$folder/$name.result"
cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4 }' "$folder/$name.result")
if [ -n "${watcher:-}" ]; then
    kill "$watcher"
    printf '\r\033[K'
fi

summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
passed=$(echo "${summary:-0 passed, 0 failed}" | cut -d' ' -f1)
failed=$(echo "${summary:-0 passed, 0 failed}" | cut -d' ' -f3)
has_cases=$(sed -n '1s/^[0-9]* cases$/yes/p' "$log")
if [ "$passed $failed" = "0 0" ] && [ -n "$has_cases" ]; then
    failed=1
    echo "FAIL nothing: no case is called ${ONLY:-anything}" >>"$log"
elif [ -z "$summary" ] || { [ "$status" != 0 ] && [ "$failed" = 0 ]; }; then
    failed=$((failed + 1))
    echo "FAIL the suite itself: it ended with status $status and no result" >>"$log"
    unfinished=1
fi
echo "$passed $failed $cpu" >"$folder/$name.result"
said=$(
    printf '%-16s%6d passed %4d failed %5d s %5d s CPU\n' "$name" "$passed" "$failed" "$seconds" "$cpu"
    sed -n 's/^skipped: /    &/p' "$log"
    [ "$failed" = 0 ] && exit
    grep -A 5 '^FAIL' "$log" | head -n 30 | sed 's/^/    /'
    if [ -n "${unfinished:-}" ] || ! grep -q '^FAIL' "$log"; then tail -n 15 "$log" | sed 's/^/    /'; fi
    echo "    all of it: $log"
    first=$(sed -n 's/^FAIL \([^ :]*\).*/\1/p' "$log" | head -n 1)
    [ -z "$has_cases" ] || [ -n "${ONLY:-}" ] || echo "    one case alone: make test-$name ONLY=$first"
)
echo "$said" # in one piece: other suites may print at the same time
[ "$failed" = 0 ] || [ -n "${KEEP_GOING:-}" ]
