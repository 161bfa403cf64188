#!/bin/sh
# bench.sh - prints the table of `make bench-vgpu`: bench.sh PROGRAM [OTHER]
# G thread-instructions/s of each kernel: one host thread and all, bounds checks and full checks, the bar beside each; and
# what the timing model costs: the time of one thread with bounds checks over that with VGPU_TIME=off.
# OTHER is the same program linked with another version of the library, or the folder of that kit, where it was made
# (`make bench-vgpu AGAINST=../old`): both run in turn, ROUNDS times each, and the best of each counts; the last column is
# the new rate over the old one.
program=$1 other=${2:-}
[ -d "$other" ] && other=$other/build/bench/bench
[ -z "$other" ] || [ -x "$other" ] || { echo "bench.sh: no program $other: \`make build/bench/bench\` there" >&2; exit 2; }
rounds=${ROUNDS:-3}
cores=$(nproc 2>/dev/null || echo 1)
json=$(mktemp) && notes=$(mktemp) || exit 2
trap 'rm -f "$json" "$notes"' EXIT

# The emulation's own time is what is wanted here: the note that host clocks show it is not. Who fails is heard.
run() { # VARIABLE=value... program name
    env "$@" 2>"$notes" || { cat "$notes" >&2; return 1; }
}

count() { # name: thread instructions of its last launch
    run VGPU_COUNTERS="$json" VGPU_THREADS=1 "$program" "$1" >/dev/null &&
        tail -n 1 "$json" | sed -n 's/"lines".*//; s/.*"thread_instructions": *\([0-9]*\).*/\1/p'
}

# Programs in turn, the best time of each: a machine that is busy with other things slows all.
best() { # name check threads program... -> "seconds megabytes" of each program
    name=$1 check=$2 threads=$3
    shift 3
    for round in $(seq "$rounds"); do
        for each in "$@"; do
            echo "$each $(run VGPU_CHECK="$check" VGPU_THREADS="$threads" "$each" "$name")"
        done
    done | awk -v programs="$*" '
        NF > 1 && (!($1 in time) || $2 < time[$1]) { time[$1] = $2; memory[$1] = $3 }
        END { n = split(programs, list, " "); for (i = 1; i <= n; i++) printf "%s %s ", time[list[i]], memory[list[i]] }'
}

model_cost() { # name -> ratio
    for round in $(seq "$rounds"); do
        for time in on off; do
            echo "$time $(run VGPU_TIME=$time VGPU_COUNTERS="$json" VGPU_CHECK=bounds VGPU_THREADS=1 "$program" "$1")"
        done
    done | awk '!($1 in best) || $2 < best[$1] { best[$1] = $2 } END {
        if (best["off"] > 0) printf "%.2f\n", best["on"] / best["off"]; else print "-" }'
}

row() { # name bounds-bar full-bar
    n=$(count "$1")
    for check in bounds full; do
        if [ "$check" = bounds ]; then bar=$2 cost=$(model_cost "$1"); else bar=$3 cost=-; fi
        one=$(best "$1" "$check" 1 "$program" $other)
        all=$(best "$1" "$check" "$cores" "$program")
        echo "$1 $check $n $bar $cost $all $one" | awk '{
            rate = $3 / $8 / 1e9; all = $3 / $6 / 1e9
            bar = $4 == "-" ? "   -" : sprintf("%.2f", $4)
            verdict = $4 == "-" ? "" : (rate >= $4 ? "met" : "MISSED")
            cost = $5 == "-" ? "-" : $5 "x"
            cost_verdict = $5 == "-" ? "" : ($5 <= 1.5 ? "met" : "MISSED")
            printf "%-12s %-7s %8.2f %5s %-7s %8.2f %7.2fx %8s MB %7s %-6s", $1, $2, rate, bar, verdict, all, all / rate,
                   $7, cost, cost_verdict
            if (NF >= 11) printf " %8.2f %6.2f", $3 / $10 / 1e9, $10 / $8
            print "" }'
    done
}

echo "G thread-instructions/s; one core against the bar, then $cores cores; memory beyond the program's data (bar 256 MB)"
echo "model: the time of one core with the timing model over that without it (bar 1.5x); best of $rounds"
printf '%-12s %-7s %8s %5s %-7s %8s %8s %11s %7s %-6s%s\n' kernel check '1 core' bar '' "$cores cores" speedup memory model '' \
    "${other:+    other  ratio}"
row matmul 1.5 0.8
row reduce 1.5 0.6
row transpose 0.3 -
row histogram - 0.45
row pi-integer 0.5 -
row pi-fp64 0.5 -
[ "$cores" -gt 1 ] && echo "bar for the speedup of two cores: 1.8x"
exit 0
