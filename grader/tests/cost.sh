#!/bin/sh
# cost.sh - how long it takes to grade each lab's solution on the virtual GPU, the best of three: cost.sh [OTHER_KIT]
# Beside it, where another kit is named, what that one takes, in turns: times of different hours compare badly.
here=$(cd "$(dirname "$0")/../.." && pwd)
best() { # kit lab
    for run in 1 2 3; do
        begin=$(date +%s%N)
        (cd "$1" && ./grade "$2" --solution --virtual) >/dev/null 2>&1 || return 1
        echo $((($(date +%s%N) - begin) / 1000000))
    done | sort -n | head -n 1
}
for lab in $(cd "$here/labs" && ls -d lab*-* | sed 's/-.*//'); do
    printf '%s  %5s ms' "$lab" "$(best "$here" "$lab")"
    [ -z "$1" ] || printf '  other kit %5s ms' "$(best "$1" "$lab")"
    echo
done
