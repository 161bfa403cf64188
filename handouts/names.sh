#!/bin/sh
# names.sh - what texts name and is not there: names.sh OUT TEXT...
# Links and their anchors; and names in code (names.awk): files, make's targets, labs, stages, options, and identifiers, which must
# occur somewhere in the kit's sources or in foreign.txt. OUT/stages has rows LAB,STAGE in the order of their tables.
out=$1
shift
here=$(dirname "$0")
sources="labs solutions common grader"

awk -f "$here/links.awk" "$@" 2>/dev/null
awk -f "$here/names.awk" "$@" >"$out/names"

# What there is, a file for each kind.
# shellcheck disable=SC2086
known() {
    case $1 in
    word) grep -rhoEIw --exclude='*.md' '[A-Za-z_][A-Za-z0-9_]*' $sources ;;
    option) grep -rhoEI --exclude='*.md' -e '--[a-z][a-z-]+' $sources ;;
    metric) grep -rhoEI --exclude='*.md' '[a-z0-9]+__[a-z0-9_.]+' $sources ;;
    make) grep -hoE '^[a-z][a-z_.-]*( [a-z_.-]+)*:' Makefile $(find common grader handouts -name '*.mk') | tr -d : | tr ' ' '\n'; cut -d , -f 1 "$out/stages" ;;
    lab) cut -d , -f 1 "$out/stages" ;;
    stage) awk -F , '{ print; print $1 "," ++count[$1] }' "$out/stages" ;;
    path) cut -f 3 "$out/names" | grep / | sort -u | while read -r path; do
        # shellcheck disable=SC2086
        ls -d $path >/dev/null 2>&1 && echo "$path"
    done ;;
    esac
}
for kind in word option metric make lab stage path; do
    { known $kind; grep -v '^#' "$here/foreign.txt"; } | sort -u >"$out/known"
    awk -F '\t' -v kind=$kind 'NR == FNR { known[$0] = 1; next }
        $1 == kind && !($3 in known) { print $2 ": no such " kind " here: " $3 }' "$out/known" "$out/names"
done
