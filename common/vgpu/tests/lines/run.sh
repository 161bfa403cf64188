#!/bin/sh
# run.sh - compares the virtual GPU's counters of each source line with a real GPU's: run.sh PROGRAM
# The program is that of the suite counters; golden.csv is what Nsight Compute counted (record.sh), exceptions.txt the lines
# at which the two differ, and why.
here=$(dirname "$0")
json=$(mktemp) || exit 2
trap 'rm -f "$json"' EXIT
VGPU_GPU=h200 VGPU_COUNTERS=$json "$1" || { echo "FAIL lines: the program failed"; echo "0 passed, 1 failed"; exit 1; }
awk -v exceptions="$here/exceptions.txt" -f "$here/compare.awk" "$json" "$here/golden.csv" "$here/../counters/golden.csv"
