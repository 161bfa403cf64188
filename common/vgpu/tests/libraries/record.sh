#!/bin/sh
# record.sh - records on a real GPU what the libraries' tests compare with: record.sh > OUTPUT
# Needs nvcc and the toolkit's cuBLAS and cuRAND. Rows of random_rows.cu belong into random.golden, those of blas_rows.cu,
# which begin with status or time, into blas.golden.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O2 -arch=native "$here/random_rows.cu" -lcurand -o "$work/random"
nvcc -O2 -arch=native "$here/blas_rows.cu" -lcublas -lcublasLt -o "$work/blas"
echo "# $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1), $(nvcc --version | tail -n 1)"
"$work/random"
"$work/blas" 8192
