#!/bin/sh
# run.sh - compares the virtual clock with an H200: run.sh TRANSFERS CALLS FOLDER-OF-VGPU
# TRANSFERS and CALLS are bench/transfers.cu and bench/calls.cu for the virtual GPU. Each ratio of ratios.txt and each figure of
# calls.txt may differ by a quarter, either way, from the recorded one; a missing figure fails. With one copy engine, both
# directions take turns.
transfers=$1 calls=$2 vgpu=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
sed 's/^copy_engines = .*/copy_engines = 1/' "$vgpu/gpus/h200.gpu" >"$work/one.gpu"
VGPU_GPU=h200 VGPU_EXECUTE=sample "$transfers" 64 >"$work/transfers" || echo "FAIL $transfers: status $?"
VGPU_GPU=$work/one.gpu "$transfers" 64 directions | sed 's/^/one_engine_/' >>"$work/transfers"
VGPU_GPU=h200 VGPU_EXECUTE=sample "$calls" >"$work/calls" || echo "FAIL $calls: status $?"

# name,value,... to name,value; name,first,second,... under a heading to "name column,value".
flatten() {
    for file; do
        awk -F, '/^#/ { next }
        $1 == "name" && NF > 3 { split($0, column); next }
        !column[3] { print $1 "," $2; next }
        { for (i = 2; i <= NF; i++) if ($i != "") print $1 " " column[i] "," $i }' "$file"
    done
}
flatten "$vgpu/bench/h200/transfers.csv" "$vgpu/bench/h200/calls.csv" >"$work/recorded"
flatten "$work/transfers" "$work/calls" >"$work/modelled"

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
FILENAME == ARGV[3] { judge($1 " / " $2, ratio(recorded, $1, $2), ratio(modelled, $1, $2)); next }
{ judge($1 " " $2, recorded[$1 " " $2], modelled[$1 " " $2]) }
END {
    judge("one engine for both directions", 1, ratio(modelled, "one_engine_both_ways_one_stream", "one_engine_both_ways_two_streams"))
    printf "%d passed, %d failed\n", passed, failed
    exit failed || !passed
}' "$work/recorded" "$work/modelled" "$vgpu/tests/clock/ratios.txt" "$vgpu/tests/clock/calls.txt"
