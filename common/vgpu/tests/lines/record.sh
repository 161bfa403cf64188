#!/bin/sh
# record.sh - records on a real GPU what each source line of counters/counters.cu does to memory: record.sh >golden.csv
# Wants nvcc, and ncu with its permissions; a minute and a half on an H200. golden.awk says what the columns mean.
# SourceCounters has what is compared: instructions (inst_executed), lanes that the predicates leave
# (thread_inst_executed_true), sectors of global memory (memory_l2_theoretical_sectors_global) and wavefronts of shared
# memory (memory_l1_wavefronts_shared), for each machine instruction, with the source line that -lineinfo gives it.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# Machine code as ptxas makes it from the same PTX that the virtual GPU reads; the source by its path, where ncu finds it.
nvcc -O3 -lineinfo -gencode arch=compute_75,code=sm_90 "$here/../counters/counters.cu" -o "$work/counters" || exit 1
ncu --clock-control none --cache-control none --section SourceCounters --page source --csv --print-source cuda,sass \
    "$work/counters" >"$work/page" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
echo "# $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1), $(ncu --version | tail -n 1)"
echo "kernel,line,instructions,sectors,wavefronts,lanes"
awk -f "$here/golden.awk" "$work/page"
