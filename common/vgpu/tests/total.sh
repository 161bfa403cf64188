#!/bin/sh
# total.sh - adds up the suites' results: total.sh FOLDER SUITE...; a suite without a result counts as one failure.
folder=$1
shift
passed=0 failed=0 bad=
for suite in "$@"; do
    p=0 f=1
    if [ -f "$folder/$suite.result" ]; then
        read -r p f cpu <"$folder/$suite.result"
    else
        echo "$suite did not run"
    fi
    [ "$f" = 0 ] || bad="$bad $suite"
    passed=$((passed + p)) failed=$((failed + f))
done
[ -z "$bad" ] || echo "failed:$bad (what they said: $folder/NAME.log; again: make test-NAME)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
