#!/bin/sh
# run.sh - compares the virtual clock with an H200: run.sh PROGRAM FOLDER-OF-VGPU
# PROGRAM is bench/transfers.cu for the virtual GPU. Each ratio of ratios.txt may differ by a quarter, either way, from the
# recorded one; a missing figure fails. With one copy engine, both directions take turns.
program=$1 vgpu=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
sed 's/^copy_engines = .*/copy_engines = 1/' "$vgpu/gpus/h200.gpu" >"$work/one.gpu"
VGPU_GPU=h200 VGPU_EXECUTE=sample "$program" 64 >"$work/figures" || echo "FAIL $program: status $?"
VGPU_GPU=$work/one.gpu "$program" 64 directions | sed 's/^/one_engine_/' >>"$work/figures"
awk -v limit=1.25 '
FILENAME == ARGV[1] { split($0, field, ","); recorded[field[1]] = field[2]; next }
FILENAME == ARGV[2] { split($0, field, ","); modelled[field[1]] = field[2]; next }
/^#/ || NF < 2 { next }
function judge(what, want, got) {
    is_good = want > 0 && got > 0 && got < want * limit && want < got * limit
    if (is_good) passed++; else failed++
    printf "%s %s: expected %.3f, virtual %.3f\n", is_good ? "pass" : "FAIL", what, want, got
}
function ratio(figures, a, b) { return figures[b] > 0 ? figures[a] / figures[b] : 0 }
{ judge($1 " / " $2, ratio(recorded, $1, $2), ratio(modelled, $1, $2)) }
END {
    judge("one engine for both directions", 1, ratio(modelled, "one_engine_both_ways_one_stream", "one_engine_both_ways_two_streams"))
    printf "%d passed, %d failed\n", passed, failed
    exit failed || !passed
}' "$vgpu/bench/h200/transfers.csv" "$work/figures" "$vgpu/tests/clock/ratios.txt"
