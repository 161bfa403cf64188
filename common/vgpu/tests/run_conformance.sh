#!/bin/sh
# run_conformance.sh - the conformance program against a GPU's results: run_conformance.sh PROGRAM GOLDEN
# Every case of the program counts; one that is not recorded is a failure.
program=$1 golden=$2
if [ ! -f "$golden" ]; then
    echo "FAIL conformance: $golden is missing; tests/conformance/record.sh makes it on a GPU"
    echo "0 passed, 1 failed"
    exit 1
fi
"$program" --check "$golden" | awk '
    /recorded was|not in the file/ { printf "FAIL " }
    { print }
    / cases, .* differ, .* not recorded$/ { cases = $1; bad = $3 + $5; found = 1 }
    END { if (!found) { print "FAIL conformance: it did not finish"; print "0 passed, 1 failed"; exit 1 }
          printf "%d passed, %d failed\n", cases - bad, bad; exit bad != 0 }'
