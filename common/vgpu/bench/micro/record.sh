#!/bin/sh
# record.sh - measures the GPU of this machine with micro and writes name,value,unit: record.sh FILE.csv [ARCH]
# Run it on an idle GPU. A whole run goes before the one that counts, so that clocks are up.
# common/vgpu/bench/h200/micro.csv was made by it.
set -e
here=$(dirname "$0")
out=$1 arch=${2:-sm_90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$here"/*.cu; do
    nvcc -O3 -std=c++17 -arch="$arch" -c "$file" -o "$work/$(basename "$file" .cu).o" &
done
wait
nvcc -arch="$arch" "$work"/*.o -o "$work/micro"
"$work/micro" >/dev/null
"$work/micro" -r 11 >"$work/lines"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader | head -n 1)"
    echo "# CUDA $(nvcc --version | sed -n 's/.*release [^,]*, V//p'), -O3 -arch=$arch;" \
        "common/vgpu/bench/micro, medians of 11"
    echo "name,value,unit"
    tr ' ' ',' <"$work/lines"
} >"$out"
