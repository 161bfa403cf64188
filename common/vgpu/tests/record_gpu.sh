#!/bin/sh
# record_gpu.sh - records on a real GPU what the tests of the virtual GPU compare with.
# usage: record_gpu.sh OUTPUT_FOLDER   (from anywhere; needs nvcc and, for the counters, ncu with its permissions)
# Leaves counters/golden.csv, lectures/*.out, programs/*.out there and prints which programs fail on this GPU.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record_gpu.sh OUTPUT_FOLDER}
mkdir -p "$out/counters" "$out/lectures" "$out/programs"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=$(nproc 2>/dev/null || echo 2)
# Registers and instructions as ptxas makes them from the same PTX that the virtual GPU reads.
arch="-gencode arch=compute_75,code=sm_90"

record_metric() { # counter metric -> lines kernel#n,counter,value
    ncu --clock-control none --cache-control none --csv --metrics "$2" "$work/counters" 2>>"$out/counters/ncu.log" |
    awk -v counter="$1" -v wanted="$2" '
        !/^"/ { next }
        { line = $0; gsub(/^"|"$/, "", line); count = split(line, cell, "\",\"") }
        !name { for (i = 1; i <= count; i++) { if (cell[i] == "Kernel Name") name = i
                    if (cell[i] == "Metric Name") metric = i
                    if (cell[i] == "Metric Unit") unit = i
                    if (cell[i] == "Metric Value") value = i }
                next }
        cell[metric] == wanted {
            kernel = cell[name]; sub(/\(.*/, "", kernel)
            number = cell[value]; gsub(",", "", number)
            if (number !~ /^[0-9.]+$/) next
            if (cell[unit] ~ /^K/) number *= 1000
            if (cell[unit] ~ /^M/) number *= 1000000
            if (cell[unit] == "us" || cell[unit] == "usecond") number *= 1000
            printf "%s#%d,%s,%s\n", kernel, seen[kernel]++, counter, number
        }'
}

record_counters() {
    nvcc -O3 $arch "$here/counters/counters.cu" -o "$work/counters" || return 1
    "$work/counters" || return 1
    command -v ncu >/dev/null || { echo "counters: no ncu on this machine, not recorded"; return 1; }
    : > "$out/counters/ncu.log"
    : > "$work/golden"
    recorded=" "
    grep -v '^#' "$here/counters/metrics.txt" | while read -r counter metric _; do
        case "$recorded" in *" $counter "*) continue ;; esac
        record_metric "$counter" "$metric" > "$work/rows"
        [ -s "$work/rows" ] && recorded="$recorded$counter " || echo "counters: no values for $metric"
        cat "$work/rows" >> "$work/golden"
    done
    { echo "# $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1), $(ncu --version | tail -n 1)"
      echo "kernel,counter,value"
      cat "$work/golden"; } > "$out/counters/golden.csv"
    echo "counters: $(grep -c '#' "$out/counters/golden.csv") values"
}

build_one() { # suite/name: a file suite/name.cu or a folder suite/name of sources
    mkdir -p "$work/bin/$(dirname "$1")"
    if [ -d "$here/$1" ]; then sources=$(ls "$here/$1"/*.cu "$here/$1"/*.cpp 2>/dev/null); else sources="$here/$1.cu"; fi
    options=$(sed -n 's,^// options: ,,p' $sources | head -n 1)
    # shellcheck disable=SC2086
    nvcc -O3 -std=c++17 -arch=sm_90 $options $sources -o "$work/bin/$1" >"$work/bin/$1.log" 2>&1 ||
        { echo "$1: does not compile"; cat "$work/bin/$1.log"; }
}

run_suite() {
    passed=0
    for program in $(ls "$here/$1" | sed -n 's/\.cu$//p') $(cd "$here/$1" && ls -d */ 2>/dev/null | tr -d /); do
        [ -x "$work/bin/$1/$program" ] || continue
        if timeout 120 "$work/bin/$1/$program" >"$out/$1/$program.out" 2>"$out/$1/$program.err" &&
            tail -n 1 "$out/$1/$program.out" | grep -qx ok; then passed=$((passed + 1))
        else echo "$1/$program: fails on this GPU"; tail -n 5 "$out/$1/$program.out" "$out/$1/$program.err"; fi
    done
    echo "$1: $passed programs pass"
}

if [ "${2:-}" = --build-one ]; then work=$3; trap - EXIT; build_one "$4"; exit; fi
record_counters
for suite in lectures programs; do
    for program in $(ls "$here/$suite" | sed -n 's/\.cu$//p') $(cd "$here/$suite" && ls -d */ 2>/dev/null | tr -d /); do
        echo "$suite/$program"
    done
done | xargs -P "$jobs" -n 1 sh "$0" "$out" --build-one "$work"
run_suite lectures
for points in 10 100 1000 100000; do "$work/bin/lectures/pi" $points | head -n 1; done | tee "$out/lectures/pi_counts.txt"
run_suite programs
