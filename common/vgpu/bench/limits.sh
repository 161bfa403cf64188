#!/bin/sh
# limits.sh - writes limits.md, what limits the labs' kernels by Nsight Compute and by the virtual GPU: limits.sh BUILD_DIR [--check]
# Runs every stage of the labs' solutions on the virtual GPU as an H200, at the size that is timed. With --check nothing is written,
# and it ends with 1 where fewer than nine in ten agree.
build=$1
check=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

for lab in $(cut -d , -f 1 "$here/h200/limits.csv" | grep '^lab[0-9]' | uniq); do
    for stage in $("$build/labs/$lab/bench" --stages); do
        VGPU_GPU=h200 VGPU_COUNTERS=$work/launches "$build/labs/$lab/bench" "$stage" >"$work/said" 2>&1 ||
            { echo "limits: $lab $stage cannot be run:" >&2; cat "$work/said" >&2; exit 2; }
        awk -v lab="$lab" -f "$here/../../base/json.awk" -f "$here/limits_virtual.awk" "$work/launches"
    done
done >"$work/mangled"
c++filt <"$work/mangled" | sed "s/, / /g" >"$work/virtual"
awk -v check="${check:+1}" -f "$here/limits_report.awk" "$here/h200/limits.csv" "$work/virtual" >"$work/report"
status=$?
if [ "$check" ]; then
    cat "$work/report"
    exit $status
fi
cp "$work/report" "$here/limits.md" && sed -n '/^| kernels/,/^$/p' "$here/limits.md"
