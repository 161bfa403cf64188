#!/bin/sh
# run.sh - compares the virtual GPU's counters with those of a real one: run.sh PROGRAM
# golden.csv holds what Nsight Compute counted (record_gpu.sh); metrics.txt says how each counter is compared: exact,
# ratio (shared wavefronts per request), or only shown. merged.txt names the kernels in which ptxas merges shared accesses.
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
    if (!match(line, "\"" key "\": *")) return ""
    rest = substr(line, RSTART + RLENGTH)
    sub(/^"/, "", rest)
    sub(/[",}].*/, "", rest)
    return rest
}
BEGIN {
    while ((getline line < metrics_file) > 0) {
        if (line ~ /^#/ || split(line, part, " +") < 3) continue
        how[part[1]] = part[3]
    }
    while ((getline line < merged_file) > 0) {
        if (line ~ /^#/ || split(line, part, " +") < 2) continue
        skip[part[1] " " part[2]] = 1
    }
}
function test(name, counter, want, got) {
    if (want == got) { passed++; return }
    failed++
    printf "FAIL %s %s: a GPU has %s, the virtual GPU %s\n", name, counter, want, got
}
FNR == NR { kernel = field($0, "kernel"); launch[kernel "#" seen[kernel]++] = $0; next }
/^#/ || /^kernel,/ { next }
{
    split($0, row, ",")
    if (row[1] != last) { order[++launches] = row[1]; last = row[1] }
    golden[row[1] " " row[2]] = row[3]
    key[row[1] " " row[2]] = row[1]
}
END {
    for (id in golden) {
        split(id, part, " ")
        name = part[1]; counter = part[2]
        if (how[counter] != "exact" && how[counter] != "ratio") continue
        if (!(name in launch)) { failed++; print "FAIL " name ": not launched"; continue }
        base = name
        sub(/#.*/, "", base)
        if (skip[base " " counter]) continue
        got = field(launch[name], counter)
        if (how[counter] == "exact") { test(name, counter, golden[id] + 0, got + 0); continue }
        if (counter !~ /wavefronts/) continue
        requests = counter
        sub(/wavefronts/, "requests", requests)
        wanted = golden[name " " requests] + 0
        gotten = field(launch[name], requests) + 0
        if (wanted == 0 && gotten == 0) continue
        if (wanted == 0 || gotten == 0) { test(name, requests, wanted, gotten); continue }
        test(name, counter " per request", sprintf("%.6f", golden[id] / wanted), sprintf("%.6f", got / gotten))
    }
    printf "%d passed, %d failed\n", passed, failed
    exit failed != 0
}' "$json" "$here/golden.csv"
