#!/bin/sh
# run_programs.sh - runs self-checking CUDA programs: run_programs.sh SOURCE_FOLDER PROGRAM...
# A program passes if it ends with status 0, its last line is "ok" and, where
# SOURCE_FOLDER/NAME.golden exists, its output equals that file, which a real GPU wrote. SILENT=1: nor may it raise an alarm.
here=$(dirname "$0")
sources=$1
shift
passed=0 failed=0
out=$(mktemp) && err=$(mktemp) || exit 2
trap 'rm -f "$out" "$err"' EXIT
echo "$# cases"
for program in "$@"; do
    name=$(basename "$program")
    why=
    sh "$here/limited.sh" "$program" >"$out" 2>"$err"
    status=$?
    if [ "$status" = 124 ] || [ "$status" = 152 ]; then why="it does not end"
    elif [ "$status" != 0 ]; then why="it ended with status $status, not 0"
    elif [ "$(tail -n 1 "$out")" != ok ]; then why="its last line is not ok but $(tail -n 1 "$out")"
    elif [ -f "$sources/$name.golden" ] && ! cmp -s "$out" "$sources/$name.golden"; then
        why="its output is not a GPU's, $sources/$name.golden: $(diff "$sources/$name.golden" "$out" | head -n 4 | tr '\n' ' ')"
    elif [ -n "${SILENT:-}" ] && grep '^vgpu:' "$err" | grep -qv 'leak: never'; then why="it raised an alarm"
    fi
    if [ -z "$why" ]; then
        passed=$((passed + 1))
        echo "pass $name"
    else
        failed=$((failed + 1))
        echo "FAIL $name: $why"
        head -n 4 "$out" && head -n 6 "$err"
        echo "    run it: ${SILENT:+VGPU_CHECK=full }$program"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
