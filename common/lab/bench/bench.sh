#!/bin/sh
# bench.sh - `make bench`: bench.sh BUILD PROGRAM OUT LAB...
# Leaves rows in OUT/bench.csv and the table in OUT/bench.md, and prints the table. On a GPU one stage runs at a time.
build=$1 program=$2 out=$3
here=$(dirname "$0")
shift 3
mkdir -p "$out" || exit 2
if [ "$program" = bench-gpu ]; then
    jobs=1
    gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
    how="median of 5 to 21 calls between events, L2 flushed before each; a copy and multiply-adds once, before all"
else
    jobs=$(nproc)
    gpu="the virtual GPU as ${VGPU_GPU:-h200}"
    how="times are the model's estimates: this machine has no GPU"
fi
cuda=$("${CUDA:-/usr/local/cuda}/bin/nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
{
    echo "# ${gpu:-a GPU}${cuda:+, CUDA $cuda}"
    echo "# make bench: the kit's solutions at the timed sizes; $how"
    sh "$here/rows.sh" "$build" "$program" "$jobs" "$@"
} >"$out/bench.csv"
status=$?
awk -f "$here/bench.awk" "$out/bench.csv" >"$out/bench.md"
cat "$out/bench.md"
exit $status
