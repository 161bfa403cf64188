#!/bin/sh
# expected.sh - the tables of speedups to expect, in the handouts: expected.sh BUILD OUT [-n] LAB...
# What stands between the lines <!-- expected labN --> and <!-- end --> comes from the record of an H200, handouts/h200.csv, and
# from the virtual GPUs below, without the stages of <!-- expected labN but STAGE... -->, whose times answer what a stage asks; behind <!-- gpus --> stands a table of these GPUs, behind
# <!-- limits --> how near some labs come to the H200's limits, behind <!-- lectures --> which step of a lecture is which stage, by
# handouts/lectures.txt. The handouts, filled in, are left in OUT; without -n they replace those in handouts/. UNTIMED=1 leaves the
# tables of speedups, which take minutes, as they are.
gpus="h200 a100 rtx4090 t4"
record=handouts/h200.csv
build=$1 out=$2
shift 2
is_dry=
[ "$1" != -n ] || { is_dry=1; shift; }
here=$(dirname "$0")
rm -rf "$out/tables" "$out/handouts"
mkdir -p "$out/tables" "$out/handouts" || exit 2
status=0

wanted=
for lab in "$@"; do
    [ -n "${UNTIMED:-}" ] || ! grep -qsE "^<!-- expected $lab( but [a-z_ ]+)? -->" handouts/*.md || wanted="$wanted $lab"
done

[ ! -e "$record" ] || cp "$record" "$out/tables/measured.csv"
profiles= stages=--stages
for gpu in $gpus; do
    profiles="$profiles common/vgpu/gpus/$gpu.gpu"
    [ -n "$wanted" ] || continue
    # A lab may ask for more than an older GPU has: its cells stay empty. What is given is timed on the first GPU alone.
    # shellcheck disable=SC2086
    VGPU_GPU=$gpu STAGES=$stages sh "$here/rows.sh" "$build" bench "${JOBS:-$(nproc)}" $wanted >"$out/tables/$gpu.csv" ||
        [ $stages = --written ] || status=1
    stages=--written
done
# shellcheck disable=SC2086
awk -f handouts/gpus.awk $profiles >"$out/tables/gpus.md" || status=1
[ ! -e "$record" ] || awk -v labs="lab3 lab4 lab5" -f handouts/limits.awk "$record" >"$out/tables/limits.md" || status=1
for lab in "$@"; do
    "$build/labs/$lab/bench" --stages | sed "s/^/$lab,/"
done >"$out/tables/stages"
awk -f handouts/lectures.awk "$out/tables/stages" handouts/lectures.txt handouts/*.md >"$out/tables/lectures.md" || status=1
for lab in $wanted; do
    hidden=$(sed -n "s/^<!-- expected $lab but \\(.*\\) -->/\\1/p" handouts/*.md)
    awk -v lab="$lab" -v hidden="$hidden" -v gpus="$gpus" -v folder="$out/tables" -f "$here/expected.awk" >"$out/tables/$lab.md" || status=1
done

for handout in $(grep -lE '^<!-- (expected lab[0-9]+( but [a-z_ ]+)?|gpus|limits|lectures) -->' handouts/*.md); do
    awk -v folder="$out/tables" '
        /^<!-- (expected lab[0-9]+( but [a-z_ ]+)?|gpus|limits|lectures) -->/ {
            print
            table = folder "/" ($2 == "expected" ? $3 : $2) ".md"
            is_known = (getline line < table) > 0
            if (is_known) {
                do print line; while ((getline line < table) > 0)
            }
            is_inside = is_known
            next
        }
        /^<!-- end -->/ { is_inside = 0 }
        !is_inside' "$handout" >"$out/$handout"
    [ -n "$is_dry" ] || cmp -s "$out/$handout" "$handout" || { cp "$out/$handout" "$handout" && echo "wrote $handout"; }
done
exit $status
