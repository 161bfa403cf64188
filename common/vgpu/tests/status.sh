#!/bin/sh
# status.sh - how far the suites are that run now, in one line: status.sh FOLDER
# A suite runs as long as FOLDER has its log and not its result. A log that begins with "N cases" has a line "pass ..." or
# "FAIL ..." for each case, or "done ..." where the verdict comes later.
cd "$1" 2>/dev/null || exit 0
for log in *.log; do
    name=${log%.log}
    [ -e "$log" ] && [ ! -e "$name.result" ] || continue
    awk -v name="$name" '
        NR == 1 && /^[0-9]+ cases$/ { cases = $1 }
        /^pass |^FAIL |^done / { done++ }
        END { printf "%s%s", name, cases ? " " (done < cases ? done + 0 : cases) " of " cases : "" }' "$log"
    printf '  '
done
