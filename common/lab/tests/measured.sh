#!/bin/sh
# measured.sh - lab 3's program as it measures on a GPU, on a virtual one: measured.sh FOLDER
# make has linked FOLDER/right, a file that is, and FOLDER/three_calls, of which only the first calls are.
folder=$1
passed=0 failed=0

check() { # what program status words...
    what=$1 status=$3
    said=$("$folder/$2" tiled -n 256 -m 96 2>&1)
    got=$?
    shift 3
    for words; do
        if [ $got = "$status" ] && echo "$said" | tr -s ' \n' '  ' | grep -qE -- "$words"; then
            passed=$((passed + 1)); echo "pass $what"
        else
            failed=$((failed + 1)); echo "FAIL $what: status $got, expected $status and \"$words\""; echo "$said" | sed 's/^/    | /'
        fi
    done
}

check "who is right has a time and a speedup" right 0 "tiled right +[0-9.]+ us .* [0-9.]+x"
check "every repetition is compared" three_calls 1 "tiled WRONG" "24576 of 24576 elements of .out. are wrong at the size that is timed"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
