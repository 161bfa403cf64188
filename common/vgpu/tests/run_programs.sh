#!/bin/sh
# run_programs.sh - runs self-checking CUDA programs: run_programs.sh SOURCE_FOLDER PROGRAM...
# A program passes if it ends with status 0, its last line is "ok" and, where
# SOURCE_FOLDER/NAME.golden exists, its output equals that file, which a real GPU wrote. SILENT=1: nor may it raise an alarm.
sources=$1
shift
limit=${LIMIT:-120}
passed=0 failed=0
out=$(mktemp) && err=$(mktemp) || exit 2
trap 'rm -f "$out" "$err"' EXIT
for program in "$@"; do
    name=$(basename "$program")
    why=
    timeout "$limit" "$program" >"$out" 2>"$err"
    status=$?
    if [ "$status" = 124 ]; then why="not finished after $limit s"
    elif [ "$status" != 0 ]; then why="status $status"
    elif [ "$(tail -n 1 "$out")" != ok ]; then why="did not say ok"
    elif [ -f "$sources/$name.golden" ] && ! cmp -s "$out" "$sources/$name.golden"; then why="output differs from a GPU's"
    elif [ -n "${SILENT:-}" ] && grep '^vgpu:' "$err" | grep -qv 'memory leak: never freed'; then why="said something on stderr"
    fi
    if [ -z "$why" ]; then
        passed=$((passed + 1))
        echo "pass $name"
    else
        failed=$((failed + 1))
        echo "FAIL $name: $why"
        head -n 4 "$out" && head -n 6 "$err"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
