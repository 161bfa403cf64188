#!/bin/sh
# fuzz.sh - runs the fuzz targets one after the other, each its share of the time: fuzz.sh FOLDER SECONDS TARGET...
# Seeds are the PTX files of tests/ptx and fatbins that nvcc makes of their sources; what crashes is left in FOLDER.
folder=$1 seconds=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/ptx" "$folder/decode" "$folder/fatbin"
cp "$here"/ptx/*.ptx "$folder/ptx/"
cp "$here"/ptx/*.ptx "$folder/decode/"
for source in "$here"/ptx/*.cu; do
    seed=$folder/fatbin/$(basename "$source" .cu).fatbin
    [ -f "$seed" ] || nvcc --no-compress -fatbin "$source" -o "$seed" 2>/dev/null || echo "fuzz: no seed from $source" >&2
done
failed=0
for target in "$@"; do
    # The decoder's memory lives on between inputs, and asking for leaks would take a second each time.
    leaks=1
    [ "$target" = decode ] && leaks=0
    echo "fuzz_$target: $((seconds / $#)) s"
    "$folder/fuzz_$target" -max_total_time=$((seconds / $#)) -max_len=65536 -timeout=20 -detect_leaks=$leaks -rss_limit_mb=2048 \
        -artifact_prefix="$folder/$target-" -print_final_stats=1 "$folder/$target" >"$folder/$target.log" 2>&1 || failed=1
    grep -E 'number_of_executed_units|ERROR|SUMMARY|runtime error' "$folder/$target.log" | sed 's/^/    /'
done
[ "$failed" = 0 ] && echo "fuzz: clean" || echo "fuzz: something was found, see $folder"
exit $failed
