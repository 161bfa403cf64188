#!/bin/sh
# matrix.sh - points are for the step: the kernel of every step in every slot of every lab: matrix.sh FOLDER LAB...
# FOLDER/labN.json is what `./grade check labN --json` has said: it must have nothing to mend, and its matrix must be
# grader/tests/matrix/labN.txt. The first lines of that file say which steps follow each other ("# chain: naive tiled"), which
# kernels make the step of another chain as well ("# contains: swizzle rows: WHY"), and what each slot is worth ("# most: 30");
# by these the rule is held here as well: a step earns all points in its own slot, and one that neither comes later in a chain
# nor contains the slot's step a quarter at most.
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
        /^# chain: / {
            for (i = 3; i <= NF; i++) {
                is_listed[$i] = 1
                for (k = 3; k < i; k++) contains[$i, $k] = 1
            }
            next
        }
        /^# contains: / { sub(":", "", $4); if (NF < 5) print $0 ": why?"; contains[$3, $4] = 1; next }
        /^# most: / { for (i = 3; i <= NF; i++) most[i - 2] = $i; next }
        !nslots { nslots = NF; for (i = 1; i <= NF; i++) slot[i] = $i; next }
        { step[++nsteps] = $1; for (i = 1; i <= nslots; i++) points[$1, i] = $(i + 1) }
        function does(a, b,    i) { # what a step contains, those after it contain, too
            if (a == b || contains[a, b]) return 1
            for (i = 1; i <= nsteps; i++) if (contains[a, step[i]] && contains[step[i], b]) return 1
            return 0
        }
        END {
            for (s = 1; s <= nslots; s++) {
                if (!is_listed[slot[s]]) print slot[s] " stands in no chain"
                if (!most[s]) print "nobody knows what " slot[s] " is worth"
                if (points[slot[s], s] != most[s]) print slot[s] " earns " points[slot[s], s] " in its own slot"
                for (k = 1; k <= nsteps; k++)
                    if (!does(step[k], slot[s]) && 4 * points[step[k], s] > most[s])
                        print step[k] " earns " points[step[k], s] " in the slot of " slot[s]
            }
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
