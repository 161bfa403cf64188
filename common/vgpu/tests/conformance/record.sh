#!/bin/sh
# record.sh - records the conformance suite on the GPU at hand: record.sh FILE
# Run from the repository root. Needs nvcc and a C compiler; builds in a temporary folder, which it removes.
# An instruction that ptxas rejects is named, and nothing is recorded.
set -eu
out=${1:?usage: record.sh FILE}
vgpu=common/vgpu
suite=$vgpu/tests/conformance
arch=${ARCH:-sm_90}
SOURCES="$suite/warp.cu $suite/flow.cu $suite/texture.cu"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/cu"
${CC:-cc} -O1 -std=gnu11 -fno-strict-aliasing -ffp-contract=off -I $vgpu -I $suite -o "$dir/generate" \
    $suite/generate.c $suite/generate_memory.c $vgpu/alu/forms.c $vgpu/alu/int.c $vgpu/alu/logic.c $vgpu/alu/float.c $vgpu/alu/half.c \
    $vgpu/alu/cvt.c $vgpu/alu/compare.c $vgpu/alu/math.c $vgpu/alu/video.c -lm -lpthread
"$dir/generate" "$dir/cu"
${CC:-cc} -O1 -std=gnu11 -c $suite/suite.c -o "$dir/suite.o"
failed=
for source in "$dir"/cu/*.cu $SOURCES $suite/conformance.cu; do
    name=$(basename "$source" .cu)
    if ! nvcc -arch=$arch -I $suite -c "$source" -o "$dir/$name.o" 2>"$dir/$name.log"; then
        failed=1
        # ptxas names the line of its own input; the messages carry the instruction's name.
        echo "rejected in $name:"
        sort -u "$dir/$name.log" | head -40
    fi
done
[ -z "$failed" ] || exit 1
nvcc -arch=$arch -o "$dir/conformance" "$dir"/*.o
[ -n "${BUILD_ONLY:-}" ] && { echo "built"; exit 0; }
"$dir/conformance" --record "$out"
"$dir/conformance" --check "$out"
ls -l "$out"
