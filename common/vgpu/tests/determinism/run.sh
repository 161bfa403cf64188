#!/bin/sh
# run.sh - the same program twice and with one and two host threads: run.sh PROGRAM...
# Standard output, standard error, exit status and counters must be the same, byte for byte, with full checking.
here=$(dirname "$0")
passed=0 failed=0
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
run() { # threads program label
    VGPU_CHECK=full VGPU_THREADS=$1 VGPU_COUNTERS=$dir/$3.json sh "$here/../limited.sh" "$2" >"$dir/$3.out" 2>"$dir/$3.err"
    echo $? >"$dir/$3.status"
}
echo "$# cases"
for program in "$@"; do
    name=$(basename "$program")
    rm -f "$dir"/*
    run 1 "$program" a
    run 1 "$program" b
    run 2 "$program" c
    why=
    for part in status out err json; do
        [ -f "$dir/a.$part" ] || why="no $part"
        cmp -s "$dir/a.$part" "$dir/b.$part" || why="$why; $part differs between two runs"
        cmp -s "$dir/a.$part" "$dir/c.$part" || why="$why; $part differs between one thread and two"
    done
    if [ -z "$why" ]; then
        passed=$((passed + 1))
        echo "pass $name"
    else
        failed=$((failed + 1))
        echo "FAIL $name: ${why#; }"
        diff "$dir/a.out" "$dir/c.out" | head -n 3
        diff "$dir/a.err" "$dir/c.err" | head -n 3
        echo "    run it: VGPU_CHECK=full VGPU_THREADS=1 VGPU_COUNTERS=counters.json $program, and with VGPU_THREADS=2"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
