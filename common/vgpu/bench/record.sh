#!/bin/sh
# record.sh - records on this machine's GPU what `make model-report` compares with: record.sh OUT_DIR
# Writes steps.csv (the lectures' steps), labs.csv (stages of the labs and the steps before them) and counters.csv
# (one launch of every kernel under Nsight Compute). Wants nvcc, ncu, and the right to read performance counters.
out=$1
here=$(cd "$(dirname "$0")" && pwd)
kit=$(cd "$here/../../.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
cuda=$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
mkdir -p "$out" && cd "$kit" || exit 2

# Machine code from the PTX that the virtual GPU executes.
nvcc -O3 -lineinfo -gencode 'arch=compute_75,code=[compute_75,sm_90]' "$here"/steps/*.cu -o "$work/steps" || exit 2
make grade labs LAB_SOURCES=solutions >"$work/make.log" 2>&1 || { cat "$work/make.log"; exit 2; }
"$work/steps" -v >"$work/verified" || { grep -v right "$work/verified"; exit 1; }

heading() { # the program, and how it measures
    echo "# $gpu, CUDA $cuda"
    echo "# $1"
}

{
    heading "bench/steps/*.cu: median of 15 launches between events, L2 warm"
    "$work/steps" | grep -v '^#'
} >"$out/steps.csv"

labs=$(ls labs | sed -n 's/^\(lab[0-9]*\)-.*/\1/p')
{
    heading "./grade check LAB --json: median of at least 5 repetitions, L2 flushed; no times where results are wrong"
    for lab in $labs; do
        ./grade check "$lab" --json
    done | awk -f "$here/../../base/json.awk" -f "$here/labs.awk"
} >"$out/labs.csv"

metrics=$(sed 's/#.*//' "$here/counters.txt" | tr -s ' \n' ',' | sed 's/^,//; s/,$//')
profile() { # options, then the program: rows of the launches
    ncu --clock-control none --metrics "$metrics" --csv --page raw --print-units base "$@" 2>/dev/null | grep '^"'
}
{
    heading "Nsight Compute: the first launch of each kernel and shape; steps with warm caches, labs with cold ones"
    {
        profile --cache-control none "$work/steps" -r 1 -w 0
        for lab in $labs; do
            for stage in $("build/$lab" --list | awk '{ print $2 }'); do
                profile --launch-count 14 "build/$lab" "$stage" --reps 1
            done
        done
    } | awk -v metrics="$metrics" -f "$here/counters.awk"
} >"$out/counters.csv"
