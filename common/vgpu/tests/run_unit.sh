#!/bin/sh
# run_unit.sh - runs Check programs and adds up their tests: run_unit.sh PROGRAM...
# Check's own limits of time are off: they are seconds of the wall clock, which a busy machine uses up.
here=$(dirname "$0")
passed=0 failed=0
export CK_DEFAULT_TIMEOUT=0
echo "$# cases"
for program in "$@"; do
    name=$(basename "$program")
    output=$(sh "$here/limited.sh" "$program" 2>&1)
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
        echo "FAIL $name: $bad of $checks, status $status"
        echo "$output" | grep -E ':[FE]:' | head -n 20
        echo "$output" | grep -vE ':[PFE]:' | tail -n 10
        echo "    run it: $program"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
