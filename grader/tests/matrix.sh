#!/bin/sh
# matrix.sh - points are for the step: the kernel of every step in every slot of every lab: matrix.sh FOLDER LAB...
# FOLDER/labN.json is what `./grade check labN --json` has said: it must have nothing to mend, and its matrix must be
# grader/tests/matrix/labN.txt. The first lines of that file say which steps follow each other ("# chain: naive tiled") and
# what each slot is worth ("# most: 30"); by these the rule is held here as well: a step earns all points in its own slot, and
# an earlier one of its chain a quarter at most.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --one ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

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

# The matrix as text: "rows 30 30 40 7", below a line of the slots.
print_matrix() { # json
    sed -n 's/^{"step":"\([^"]*\)","points":{\([^}]*\)}}.*/\1,\2/p' "$1" | tr -d '"' |
        awk -F '[,:]' 'NR == 1 { for (i = 2; i < NF; i += 2) printf "%s%s", (i > 2 ? " " : ""), $i; print "" }
                       { printf "%s", $1; for (i = 3; i <= NF; i += 2) printf " %s", $i; print "" }'
}

say() { # truth what why
    if [ "$1" = 0 ]; then echo "pass $lab: $2"; else echo "FAIL $lab: $2: $3"; fi
}

lab=$3 json=$2/$3.json found=$2/$3.txt
table=$root/grader/tests/matrix/$lab.txt
grep -q '"problems":\[\],"is_apart":true' "$json"
say $? "nothing to mend" "$(grep '"problems"' "$json")"
{ grep '^#' "$table"; print_matrix "$json"; } >"$found"
tr -s ' ' <"$table" | sed 's/^ //' | diff - "$found"
say $? "the matrix" "it has other points"
broken=$(hold_rule "$found")
[ -z "$broken" ]
say $? "points are for the step" "$broken"
exit 0
