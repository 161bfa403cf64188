#!/bin/sh
# gpu_labs.sh - every lab on the GPU of this machine: the skeleton earns nothing, the solution all, and every threshold tells
# its step from the one before: gpu_labs.sh FOLDER LAB...
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
shift
mkdir -p "$folder"
passed=0 failed=0

try() { # what text arguments...
    what=$1 text=$2 out=$folder/report
    shift 2
    "$root/grade" "$@" >"$out" 2>&1 </dev/null
    status=$?
    if [ "$status" = 0 ] && grep -qF -- "$text" "$out" && ! grep -q "virtual GPU" "$out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $what: exit status $status"
        sed 's/^/    /' "$out"
    fi
}

for lab; do
    try "$lab: the skeleton earns nothing" " 0 of 100 points" "$lab"
    try "$lab: the solution earns all" "All points." "$lab" --solution
    try "$lab: thresholds tell each step from the one before" "Every threshold holds." check "$lab"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
