#!/bin/sh
# record.sh - records what the libraries' tests compare with, from the toolkit's own libraries: record.sh > random.golden
# It needs nvcc and cuRAND, no GPU. On a machine with one it also runs the other programs there, with the toolkit's libraries, tells
# on stderr which of their expectations fail, and how long products take.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc "$here/random_rows.cu" -lcurand -o "$work/random_rows"
echo "# $(nvcc --version | sed -n 's/.*release/cuRAND of CUDA/p')"
"$work/random_rows" host | tee "$work/host"

nvidia-smi >/dev/null 2>&1 || exit 0
"$work/random_rows" | sh "$here/compare.sh" "$work/host" - >&2 || true
for program in products vectors light errors times; do
    nvcc -arch=native "$here/$program.cu" -lcublas -lcublasLt -lcurand -o "$work/$program"
    echo "$program:" >&2
    "$work/$program" 4096 >&2 || true
done
