#!/bin/sh
# run.sh - compares the virtual GPU's counters with those of a real one: run.sh PROGRAM
# golden.csv holds what Nsight Compute counted (record_gpu.sh); metrics.txt says which counters are compared; merged.txt
# names the kernels in which ptxas merges shared accesses, so that the PTX has more of them than the hardware saw.
here=$(dirname "$0")
program=$1
json=$(mktemp) || exit 2
trap 'rm -f "$json"' EXIT
if [ ! -f "$here/golden.csv" ]; then
    echo "FAIL counters: golden.csv is missing; record_gpu.sh makes it on a GPU"
    echo "0 passed, 1 failed"
    exit 1
fi
VGPU_GPU=h200 VGPU_COUNTERS=$json "$program" || { echo "FAIL counters: the program failed"; echo "0 passed, 1 failed"; exit 1; }
awk -v merged_file="$here/merged.txt" -v metrics_file="$here/metrics.txt" '
function field(line, key,    rest) {
    if (!match(line, "\"" key "\": *")) return "missing"
    rest = substr(line, RSTART + RLENGTH)
    sub(/^"/, "", rest)
    sub(/[",}].*/, "", rest)
    return rest
}
# The hardware gives a thread no fewer than 16 registers.
function allocated(counter, value) { return counter == "registers_per_thread" && value + 0 < 16 ? 16 : value + 0 }
BEGIN {
    while ((getline line < metrics_file) > 0)
        if (line !~ /^#/ && split(line, part, " +") == 3) how[part[1]] = part[3]
    while ((getline line < merged_file) > 0)
        if (line !~ /^#/ && split(line, part, " +") > 2) merged[part[1] " " part[2]] = 1
}
FNR == NR { kernel = field($0, "kernel"); launch[kernel "#" seen[kernel]++] = $0; next }
/^#/ || /^kernel,/ { next }
{
    split($0, row, ",")
    base = row[1]
    sub(/#.*/, "", base)
    if (how[row[2]] != "exact" || ((base " " row[2]) in merged)) next
    got = row[1] in launch ? field(launch[row[1]], row[2]) : "missing"
    if (got != "missing" && allocated(row[2], got) == row[3] + 0) { passed++; next }
    failed++
    printf "FAIL %s %s: a GPU has %s, the virtual GPU %s\n", row[1], row[2], row[3], got
}
END {
    printf "%d passed, %d failed\n", passed, failed
    exit failed != 0 || passed == 0
}' "$json" "$here/golden.csv"
