#!/bin/sh
# measured.sh - programs of labs as they measure on a GPU, on a virtual one: measured.sh FOLDER
# make has linked FOLDER/right, lab 3 with a file that is; three_calls, of which only the first calls are; and answers, lab 2's
# solution, which answers a question beside its work: the kit's own kernels do not.
folder=$1
passed=0 failed=0

check() { # what command status words...
    what=$1 status=$3
    said=$("$folder"/$2 2>&1)
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

check "who is right has a time and a speedup" "right tiled -n 256 -m 96" 0 "tiled right +[0-9.]+ us .* [0-9.]+x"
check "at the timed size the kit's own kernels tell what is right" "right tiled -n 2048 -m 2304" 0 "tiled right +[0-9.]+ us .* [0-9.]+x"
check "every repetition is compared" "three_calls tiled -n 256 -m 96" 1 "tiled WRONG" "24576 of 24576 elements of .out. are wrong at the size that is timed"
check "a stage with work and an answer has a time and a speedup" "answers every -n 256 -m 96 -o 3" 0 "every right +[0-9.]+ us .* [0-9.]+x"
check "an answer where the kit's own kernels tell what is right" "answers every -n 1003 -m 1027" 0 "every right +[0-9.]+ us .* [0-9.]+x"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
