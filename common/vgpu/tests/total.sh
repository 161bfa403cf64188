#!/bin/sh
# total.sh - adds up the suites' results: total.sh FOLDER SUITE...; a suite without a result counts as one failure.
folder=$1
shift
passed=0 failed=0
for suite in "$@"; do
    if [ -f "$folder/$suite.result" ]; then
        read -r p f <"$folder/$suite.result"
    else
        echo "$suite did not run"
        p=0 f=1
    fi
    passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
