#!/bin/sh
# alike_report.sh - what ./grade similar takes for alike: alike_report.sh FOLDER PROGRAM (alike_report.c)
# Of every lab, honest files among themselves, and a copy of each in all disguises at once (disguise.sh). First stages alone, as the tests
# have them; then whole submissions, each of four such files. Below, honest pairs that are told as a group. All are one author's, and
# some are another one with other numbers: no text tells these from copies.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$1"
mkdir -p "$1"
program=$2
cd "$1" || exit 2
. "$root/grader/tests/disguise.sh"
LEAST=0 TOGETHER=4 ALL_WAYS=13
# shellcheck disable=SC2086
alike() { "$program" $LEAST "$solution" $given -- "$@" || exit 2; }
name() { sed "$(($1 + 1))!d; s|.*/||; s|[.]cu\$||" files; }
report() { # the files
    files=$#
    printf '%s\n' "$@" >files
    alike "$@" | while read -r kind a b percent; do echo "$kind honest $lab $(name "$a") $(name "$b") $percent %"; done >honest
    at=0
    for file in "$@"; do
        disguise "$file" $ALL_WAYS >copy.cu
        found=$(alike "$@" copy.cu | awk -v a=$at -v b=$files '$2 == a && $3 == b { print $1, $4 }')
        echo "${found:-missed 0}" | while read -r kind percent; do echo "$kind copy $lab $(name $at) $percent %"; done
        at=$((at + 1))
    done >copies
    cat honest copies >>told
    printf '%-6s %6d | %7d %6d | %7d %6d %6d\n' "$lab" "$files" "$(grep -c ^group honest)" "$(grep -c ^short honest)" \
        "$(grep -c ^group copies)" "$(grep -c ^short copies)" "$(grep -c ^missed copies)"
}
sums() {
    awk '{ n[$1 " " $2]++ } END { found = n["group copy"]; short = n["short copy"]; all = found + short + n["missed copy"]
        printf "recall: %d of %d copies, %.1f %%: %d in groups, %d told as short\n", found + short, all, 100 * (found + short) / all, found, short
        printf "precision: of %d pairs in groups %d are copies, %.1f %%\n", found + n["group honest"], found, 100 * found / (found + n["group honest"]) }' told
    grep '^group honest' told | sed 's/^group //'
}

for what in "stages alone" "whole submissions"; do
    : >told
    printf '%s\n%-6s %6s | %7s %6s | %7s %6s %6s\n' "$what" "" "" honest pairs copies "" ""
    printf '%-6s %6s | %7s %6s | %7s %6s %6s\n' lab files grouped short grouped short missed
    for skeleton in $(ls -d "$root"/common/lab/skeletons/lab* | sort -V); do
        folder=$(basename "$skeleton") lab=$(basename "$skeleton" | sed 's/-.*//')
        given="$skeleton/$lab.cu $root/labs/$folder/$lab.h $root/handouts/$folder.md" solution=$root/solutions/$folder/$lab.cu
        set -- "$root/grader/tests/honest/$lab"/*.cu
        if [ "$what" = "stages alone" ]; then
            report "$@"
        else
            while [ $# -ge $TOGETHER ]; do
                cat "$1" "$2" "$3" "$4" >"$lab-whole-$#.cu"
                shift $TOGETHER
            done
            report "$lab"-whole-*.cu
        fi
    done
    sums
done
