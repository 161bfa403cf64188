#!/bin/sh
# run_unit.sh - runs Check programs and adds up their cases: run_unit.sh PROGRAM...
passed=0 failed=0
for program in "$@"; do
    name=$(basename "$program")
    output=$("$program" 2>&1)
    status=$?
    line=$(echo "$output" | grep -E '^[0-9]+%: Checks: ' | tail -n 1)
    checks=$(echo "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
    bad=$(echo "$line" | sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 + \2/p')
    bad=$((${bad:-1}))
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    checks=${checks:-1}
    passed=$((passed + checks - bad)) failed=$((failed + bad))
    if [ "$bad" = 0 ]; then
        echo "pass $name: $checks"
    else
        echo "FAIL $name: status $status"
        echo "$output" | grep -v ':P:' | tail -n 20
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
