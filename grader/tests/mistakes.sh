#!/bin/sh
# mistakes.sh - typical mistakes of students, and what the report must say about them: mistakes.sh FOLDER labN-NAME...
# Each grader/tests/mistakes/labN/NAME.patch turns the solution into a wrong one. Its first lines name the stage
# ("# stage: ID"), what the report says ("# says: TEXT", any number) and what it must not ("# not: TEXT"). The points must be
# those of an H200, as mistakes_gpu.sh has recorded them (h200-mistakes.md), unless what the program does is undefined
# ("# undefined: WHY").
# FOLDER takes the patched files.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

squeeze() { tr -s ' \n' '  '; }

# One patch: prints what is wrong with it, nothing if all is well.
try() { # patch folder
    patch=$1
    lab=$(basename "$(dirname "$patch")")
    name=$(basename "$patch" .patch)
    work=$2/$lab-$name
    mkdir -p "$work"
    set -- "$root"/solutions/"$lab"-*/"$lab".cu
    cp "$1" "$work/$lab.cu" || { echo "no solution of $lab"; return; }
    grep -q '^# says: ' "$patch" || { echo "the patch names nothing that the report must say"; return; }
    (cd "$work" && patch -s -p1 "$lab.cu" "$patch") >"$work/patch.log" 2>&1 || { echo "does not apply"; cat "$work/patch.log"; return; }
    "$root/grade" "$lab" --virtual --stage "$stage" --file "$work/$lab.cu" >"$work/report" 2>&1
    status=$?
    [ "$status" -le 1 ] || { echo "grade ended with $status"; cat "$work/report"; return; }
    report=$(squeeze <"$work/report")
    if ! grep -q '^# undefined: ' "$patch"; then
        points=$(points_on_h200 "$lab" "$name")
        case $report in *" ${points:-?}/"*) ;; *) echo "an H200 gave ${points:-no} points, the report has others" ;; esac
    fi
    sed -n 's/^# says: //p' "$patch" | squeeze_lines | while IFS= read -r text; do
        case $report in *"$text"*) ;; *) echo "the report does not say: $text" ;; esac
    done
    sed -n 's/^# not: //p' "$patch" | squeeze_lines | while IFS= read -r text; do
        case $report in *"$text"*) echo "the report says: $text" ;; esac
    done
}

squeeze_lines() { sed 's/  */ /g'; }

# What an H200 gave: "8+4+0+16" in the table's third column is 28.
points_on_h200() { # lab name
    awk -F ' *[|] *' -v mistake="$1 $2" '$2 == mistake { split($4, part, "+"); print part[1] + part[2] + part[3] + part[4] }' \
        "$here/h200-mistakes.md"
}

# One mistake, as a case of the suite.
judge() { # folder case
    patch=$here/mistakes/${2%%-*}/${2#*-}.patch
    stage=$(sed -n 's/^# stage: //p' "$patch" | head -n 1)
    wrong=$(try "$patch" "$1" 2>&1)
    if [ -z "$wrong" ]; then
        echo "pass $2"
        return
    fi
    echo "FAIL $2: $wrong"
    echo "    run it: ./grade ${2%%-*} --virtual --stage $stage --file $1/$2/${2%%-*}.cu"
    sed 's/^/    | /' "$1/$2/report" 2>/dev/null
}

if [ "$1" = --one ]; then
    judge "$2" "$3"
    exit
fi

folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
