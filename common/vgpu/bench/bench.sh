#!/bin/sh
# bench.sh - prints the table of `make bench-vgpu`: bench.sh PROGRAM
# G thread-instructions/s of each kernel: one host thread and all, bounds checks and full checks, the bar beside each; and
# what the timing model costs: the time of one thread with bounds checks over that with VGPU_TIME=off.
program=$1
cores=$(nproc 2>/dev/null || echo 1)
json=$(mktemp) || exit 2
trap 'rm -f "$json"' EXIT

measure() { # name check threads -> "rate megabytes"
    rm -f "$json"
    result=$(VGPU_COUNTERS=$json VGPU_CHECK=$2 VGPU_THREADS=$3 "$program" "$1") || { echo "failed -"; return; }
    instructions=$(tail -n 1 "$json" | sed -n 's/"lines".*//; s/.*"thread_instructions": *\([0-9]*\).*/\1/p')
    echo "$result" | awk -v n="$instructions" '{ printf "%.2f %d\n", n / $1 / 1e9, $2 }'
}

# Both in turn, three times, the best of each: a machine that is busy with other things slows both.
model_cost() { # name -> ratio
    for round in 1 2 3; do
        for time in on off; do
            echo "$time $(VGPU_TIME=$time VGPU_COUNTERS=$json VGPU_CHECK=bounds VGPU_THREADS=1 "$program" "$1")"
        done
    done | awk '!($1 in best) || $2 < best[$1] { best[$1] = $2 } END {
        if (best["off"] > 0) printf "%.2f\n", best["on"] / best["off"]; else print "-" }'
}

row() { # name bounds-bar full-bar
    for check in bounds full; do
        if [ "$check" = bounds ]; then bar=$2 cost=$(model_cost "$1"); else bar=$3 cost=-; fi
        one=$(measure "$1" "$check" 1)
        all=$(measure "$1" "$check" "$cores")
        echo "$1 $check $one $all $bar $cost" | awk '{
            bar = $7 == "-" ? "  -" : sprintf("%.1f", $7)
            verdict = $7 == "-" ? "" : ($3 >= $7 ? "met" : "MISSED")
            cost = $8 == "-" ? "-" : $8 "x"
            cost_verdict = $8 == "-" ? "" : ($8 <= 1.5 ? "met" : "MISSED")
            printf "%-12s %-7s %8s %5s %-7s %8s %7.2fx %8s MB %7s %s\n",
                   $1, $2, $3, bar, verdict, $5, $5 / $3, $6, cost, cost_verdict }'
    done
}

echo "G thread-instructions/s; one core against the bar, then $cores cores; memory beyond the program's data (bar 256 MB)"
echo "model: the time of one core with the timing model over that without it (bar 1.5x)"
printf '%-12s %-7s %8s %5s %-7s %8s %8s %11s %7s\n' kernel check '1 core' bar '' "$cores cores" speedup memory model
row matmul 1.5 0.6
row reduce 1.5 0.6
row transpose 0.3 -
row histogram - -
row pi-integer 0.5 -
row pi-fp64 0.5 -
[ "$cores" -gt 1 ] && echo "bar for the speedup of two cores: 1.8x"
