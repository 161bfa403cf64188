#!/bin/sh
# mistakes.sh - typical mistakes of students, and what the report must say about them: mistakes.sh FOLDER labN-NAME...
# Each grader/tests/mistakes/labN/NAME.patch turns the solution into a wrong one. Its first lines name the stage
# ("# stage: ID"), what the report says ("# says: TEXT", any number) and what it must not ("# not: TEXT"). The arrow must be about
# the finding: arrow.awk. The points must be
# those of an H200, as mistakes_gpu.sh has recorded them (h200-mistakes.md), unless what the program does is undefined
# ("# undefined: WHY"); where the model differs, a patch names those of the virtual GPU ("# points: N, WHY"). A shortcut, right but
# without the stage's step, says what it earns at most: a quarter ("# at most: N").
# To compile takes longer than to judge, so mistakes of different stages share a file, unless mistakes/shared.txt says that
# one of them spoils the stage of another. FOLDER takes the files: labN.K/labN.cu and its report.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/patches.sh"

squeeze() { tr -s ' \n' '  '; }
squeeze_lines() { sed 's/  */ /g'; }

# ---- a report ----

# What the report says before the first stage and of this one.
section() { # stage
    awk -v stage="$1" '/^ *[0-9]+  [a-z]/ { is_other = $2 != stage } /^ *[0-9]+ of [0-9]+ points/ { exit } !is_other' "$work/report"
}

# What an H200 gave: "8+4+0+16" in the table's third column is 28.
points_on_h200() { # case
    awk -F ' *[|] *' -v mistake="${1%%-*} ${1#*-}" '$2 == mistake { split($4, part, "+"); print part[1] + part[2] + part[3] + part[4] }' \
        "$here/h200-mistakes.md"
}

# Says what is wrong with the report on a mistake; nothing if all is well.
compare() { # case
    patch=$(patch_of "$1")
    report=$(section "$(stage_of "$1")" | squeeze)
    grep -q '^# says: ' "$patch" || echo "the patch names nothing that the report must say"
    points=$(sed -n '/^---/q; s/^# points: \([0-9]*\).*/\1/p' "$patch") most=$(sed -n '/^---/q; s/^# at most: //p' "$patch")
    [ -n "$points" ] || points=$(points_on_h200 "$1")
    earned=$(echo "$report" | sed -En "s|.* [0-9]+ $(stage_of "$1") ([0-9]+)/[0-9].*|\1|p")
    [ "${earned:-x}" -le "${most:-1000}" ] 2>/dev/null || echo "it earns ${earned:-nothing known}, $most at most are its due"
    grep -q '^# undefined: ' "$patch" || [ "$earned" = "${points:-${most:+$earned}}" ] ||
        echo "an H200 gave ${points:-no} points, the report has $earned"
    sed -n 's/^# says: //p' "$patch" | squeeze_lines | while IFS= read -r text; do
        case $report in *"$text"*) ;; *) echo "the report does not say: $text" ;; esac
    done
    section "$(stage_of "$1")" | awk -f "$here/arrow.awk" "$root"/common/lab/skeletons/"$lab"-*/"$lab".cu "$root"/labs/"$lab"-*/"$lab".h -
    sed -n 's/^# not: //p' "$patch" | squeeze_lines | while IFS= read -r text; do
        case $report in *"$text"*) echo "the report says: $text" ;; esac
    done
}

judge() { # case
    wrong=$trouble
    [ -n "$wrong" ] || wrong=$(compare "$1" 2>&1)
    if [ -z "$wrong" ]; then
        echo "pass $1"
        return
    fi
    echo "FAIL $1: $wrong"
    echo "    run it: ./grade $lab --virtual --stage $(stage_of "$1") --file $work/$lab.cu"
    section "$(stage_of "$1")" 2>/dev/null | sed 's/^/    | /'
}

if [ "$1" = --one ]; then
    work=$2/$3 lab=${3%.*}
    mkdir -p "$work"
    stages=$(sed -n "s/^$3 [^ ]* //p" "$2/files" | paste -sd, -)
    set -- $(sed -n "s/^$3 \([^ ]*\) .*/\1/p" "$2/files")
    trouble=$(apply_patches "$@")
    if [ -z "$trouble" ]; then
        # Where to find a bug is the task, only -v says at once how it is fixed.
        verbose=$(grep -l 'is_hunt = true' "$root"/labs/"$lab"-*/"$lab".c)
        "$root/grade" "$lab" ${verbose:+-v} --virtual --stage "$stages" --file "$work/$lab.cu" >"$work/report" 2>&1 </dev/null
        status=$?
        [ "$status" -le 1 ] || trouble="grade ended with $status: $(cat "$work/report")"
    fi
    for case; do
        judge "$case"
    done
    exit 0
fi

folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
share_out "$@" >"$folder/files"
exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" $(cut -d' ' -f1 "$folder/files" | sort -u)
