#!/bin/sh
# record_limits.sh - records on this machine's GPU what limits the kernels of the labs' solutions: record_limits.sh OUT_DIR
# Writes limits.csv, by the rule in limits.awk, and limits-raw.csv, Nsight Compute's own pages. Wants nvcc, ncu, and the right to
# read performance counters. LABS='lab3 lab5' does some of the labs.
out=$1
here=$(cd "$(dirname "$0")" && pwd)
kit=$(cd "$here/../../.." && pwd)
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
mkdir -p "$out" && out=$(cd "$out" && pwd) && cd "$kit" || exit 2
labs=${LABS:-$(ls labs | sed -n 's/^\(lab[1-9][0-9]*\)-.*/\1/p' | sort -V)}
# shellcheck disable=SC2086,SC2046
make $(printf 'build/%s ' $labs) LAB_SOURCES=solutions >"$out/limits.log" 2>&1 || { cat "$out/limits.log"; exit 2; }
metrics=$(sed '/^#/d' "$here/limits.txt" | paste -s -d ,)
# The first launch of each kernel with each shape. Caches are flushed before each, as the labs do; clocks are the GPU's own.
for lab in $labs; do
    ncu --clock-control none --cache-control none --metrics "$metrics" --csv --page raw --print-units base --filter-mode per-launch-config \
        --launch-count 1 "build/$lab" --reps 1 2>>"$out/limits.log" >"$out/limits-page" || cat "$out/limits-page" >>"$out/limits.log"
    grep '^"' "$out/limits-page" || echo "$lab: no figures, see $out/limits.log" >&2
done >"$out/limits-raw.csv"
rm -f "$out/limits-page"
{
    echo "# $gpu, Nsight Compute $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')"
    awk -f "$here/limits.awk" "$out/limits-raw.csv"
} >"$out/limits.csv"
echo "$(grep -c '^lab' "$out/limits.csv") kernels in $out/limits.csv"
