#!/bin/sh
# matrix.sh - points are for the step: the kernel of every step in every slot of every lab: matrix.sh FOLDER LAB...
# `./grade check` must have nothing to mend, and its matrix must be grader/tests/matrix/labN.txt. The first lines of that file
# say which steps follow each other ("# chain: naive tiled") and what each slot is worth ("# most: 30"); by these the rule is
# held here as well: a step earns all points in its own slot, and an earlier one of its chain a quarter at most.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
shift
mkdir -p "$folder"
passed=0 failed=0

say() { # truth text
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi
}

# Prints what breaks the rule.
hold_rule() { # table
    awk '
        /^# chain: / { chain[++nchains] = substr($0, 10); next }
        /^# most: / { for (i = 3; i <= NF; i++) most[i - 2] = $i; next }
        !nslots { nslots = NF; for (i = 1; i <= NF; i++) slot[$i] = i; next }
        { for (i = 1; i <= nslots; i++) points[$1, i] = $(i + 1) }
        END {
            for (c = 1; c <= nchains; c++) {
                n = split(chain[c], step, " ")
                for (j = 2; j <= n; j++) {
                    s = slot[step[j]]
                    if (!s || !most[s]) { print "no slot " step[j]; continue }
                    if (points[step[j], s] != most[s]) print step[j] " earns " points[step[j], s] " in its own slot"
                    for (i = 1; i < j; i++)
                        if (points[step[i], s] == "" || 4 * points[step[i], s] > most[s])
                            print step[i] " earns " points[step[i], s] " in the slot of " step[j]
                }
                checked += n - 1
            }
            if (checked < nslots) print "only " checked " of " nslots " slots stand in a chain"
        }' "$1"
}

for lab; do
    table=$here/matrix/$lab.txt
    found=$folder/$lab.txt
    "$root/grade" check "$lab" --virtual >"$folder/$lab.log" 2>&1 </dev/null
    say $? "$lab: ./grade check ends with $?: $(tail -n 3 "$folder/$lab.log")"
    grep -qx "Nothing to mend." "$folder/$lab.log"
    say $? "$lab: there is something to mend: $(grep '^- ' "$folder/$lab.log")"
    { grep '^#' "$table"; sed -n '/^points that/,/^$/p' "$folder/$lab.log" | sed '1d;$d'; } >"$found"
    diff "$table" "$found"
    say $? "$lab: the matrix has other points"
    broken=$(hold_rule "$found")
    [ -z "$broken" ]
    say $? "$lab: $broken"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
