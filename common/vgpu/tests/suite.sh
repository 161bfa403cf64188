#!/bin/sh
# suite.sh - runs one suite of tests and prints one line about it: suite.sh FOLDER NAME COMMAND...
# COMMAND says "FAIL what: why" for each failure and ends with "N passed, N failed"; its output is kept in FOLDER/NAME.log,
# the two numbers in FOLDER/NAME.result. A command that ends without its last line counts as a failure.
folder=$1 name=$2
shift 2
mkdir -p "$folder"
log=$folder/$name.log
printf '%-14s' "$name"
begin=$(date +%s)
"$@" >"$log" 2>&1
status=$?
seconds=$(($(date +%s) - begin))
summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
passed=$(echo "${summary:-0 passed, 0 failed}" | cut -d' ' -f1)
failed=$(echo "${summary:-0 passed, 0 failed}" | cut -d' ' -f3)
if [ -z "$summary" ] || { [ "$status" != 0 ] && [ "$failed" = 0 ]; }; then
    failed=$((failed + 1))
    echo "FAIL the suite itself: it ended with status $status and no result" >>"$log"
    unfinished=1
fi
printf '%6d passed %4d failed %5d s\n' "$passed" "$failed" "$seconds"
echo "$passed $failed" >"$folder/$name.result"
[ "$failed" = 0 ] && exit 0
grep -A 3 '^FAIL' "$log" | head -n 16 | sed 's/^/    /'
[ -n "${unfinished:-}" ] && tail -n 15 "$log" | sed 's/^/    /'
echo "    all of it: $log"
[ -n "${KEEP_GOING:-}" ] || exit 1
