#!/bin/sh
# bench.sh - prints the table of `make bench-vgpu`: bench.sh PROGRAM
# G thread-instructions/s of each kernel: one host thread and all, bounds checks and full checks, the bar beside each.
program=$1
cores=$(nproc 2>/dev/null || echo 1)
json=$(mktemp) || exit 2
trap 'rm -f "$json"' EXIT

measure() { # name check threads -> "rate megabytes"
    rm -f "$json"
    result=$(VGPU_COUNTERS=$json VGPU_CHECK=$2 VGPU_THREADS=$3 "$program" "$1") || { echo "failed -"; return; }
    instructions=$(tail -n 1 "$json" | sed -n 's/.*"thread_instructions": *\([0-9]*\).*/\1/p')
    echo "$result" | awk -v n="$instructions" '{ printf "%.2f %d\n", n / $1 / 1e9, $2 }'
}

row() { # name bounds-bar full-bar
    for check in bounds full; do
        if [ "$check" = bounds ]; then bar=$2; else bar=$3; fi
        one=$(measure "$1" "$check" 1)
        all=$(measure "$1" "$check" "$cores")
        echo "$1 $check $one $all $bar" | awk '{
            bar = $7 == "-" ? "  -" : sprintf("%.1f", $7)
            verdict = $7 == "-" ? "" : ($3 >= $7 ? "met" : "MISSED")
            printf "%-12s %-7s %8s %5s %-7s %8s %7.2fx %8s MB\n", $1, $2, $3, bar, verdict, $5, $5 / $3, $6 }'
    done
}

echo "G thread-instructions/s; one core against the bar, then $cores cores; memory beyond the program's data (bar 256 MB)"
printf '%-12s %-7s %8s %5s %-7s %8s %8s %11s\n' kernel check '1 core' bar '' "$cores cores" speedup memory
row matmul 1.5 0.6
row reduce 1.5 0.6
row transpose 0.3 -
row histogram - -
row pi-integer 0.5 -
row pi-fp64 0.5 -
[ "$cores" -gt 1 ] && echo "bar for the speedup of two cores: 1.8x"
