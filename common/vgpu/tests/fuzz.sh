#!/bin/sh
# fuzz.sh - runs the fuzz targets one after the other, each its share of the time: fuzz.sh FOLDER SECONDS TARGET...
# Seeds are the PTX files of tests/, kernel by kernel, and fatbins that nvcc makes of their sources; what crashes is left in
# FOLDER. `fuzz.sh can` says by its status whether clang and its fuzzer are here.
if [ "$1" = can ]; then
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return d && !n; }' |
        clang -x c - -fsanitize=fuzzer,address,undefined -o /dev/null 2>/dev/null
    exit
fi
folder=$1 seconds=$2
shift 2
if [ ! -x "$folder/fuzz_$1" ]; then
    echo "skipped: there is no clang with libFuzzer on this machine"
    echo "0 passed, 0 failed"
    exit 0
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/ptx" "$folder/device" "$folder/fatbin" "$folder/trace"
cp "$here"/ptx/*.ptx "$folder/ptx/"
cp "$here"/bad_input/ptx/*.ptx "$folder/device/"
for text in "$here"/ptx/*.ptx "$here"/model/*.ptx; do
    awk -v out="$folder/device/$(basename "$text" .ptx)" -f "$here/split.awk" "$text"
done
for source in "$here"/ptx/*.cu; do
    seed=$folder/fatbin/$(basename "$source" .cu).fatbin
    [ -f "$seed" ] || nvcc --no-compress -fatbin "$source" -o "$seed" 2>/dev/null || echo "fuzz: no seed from $source" >&2
done
passed=0 failed=0 share=$((seconds / $#))
for target in "$@"; do
    # The device's memory lives on between inputs, and asking for leaks would take a second each time.
    leaks=1 longest=65536
    [ "$target" = device ] && leaks=0 longest=12000
    if "$folder/fuzz_$target" -seed="${FUZZ_SEED:-0}" -max_total_time="$share" -max_len=$longest -timeout=60 -detect_leaks=$leaks -rss_limit_mb=2048 \
        -artifact_prefix="$folder/$target-" -print_final_stats=1 "$folder/$target" >"$folder/$target.log" 2>&1; then
        passed=$((passed + 1))
        echo "pass fuzz_$target: $(sed -n 's/.*executed_units: *//p' "$folder/$target.log") inputs in $share s"
    else
        failed=$((failed + 1))
        echo "FAIL fuzz_$target: see $folder/$target.log"
        grep -E 'ERROR|SUMMARY|runtime error|Test unit' "$folder/$target.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
