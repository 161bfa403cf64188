#!/bin/sh
# by_hand.sh - a lab's program as students run it: by_hand.sh FOLDER
# What it says and its exit status for a skeleton, for a solution, for wrong options and for a file that does not compile.
# FOLDER keeps the spoilt files. make has built build/lab3; here it is made again from other sources.
folder=$1
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL

# check WHAT STATUS WORDS COMMAND...: the command ends with STATUS, and what it prints contains WORDS.
check() {
    what=$1 status=$2 words=$3
    shift 3
    said=$("$@" 2>&1)
    got=$?
    if [ "$got" = "$status" ] && echo "$said" | grep -qF -- "$words"; then
        passed=$((passed + 1))
        echo "pass $what"
    else
        failed=$((failed + 1))
        echo "FAIL $what: status $got, expected $status and the words \"$words\""
        echo "    run it: $*"
        echo "$said" | tail -n 12 | sed 's/^/    | /'
    fi
}

# The by-hand program $1, with the student's file taken from $2.
build() {
    make --no-print-directory VIRTUAL=1 LAB_SOURCES="$2" "$1" 2>&1
}

lab=build/lab3
build $lab labs
check "the skeleton compiles and fails with a hint" 1 "TODO 1" $lab tiled
check "a given stage is right" 0 "naive      right" $lab naive
check "a wrong stage among right ones decides the status" 1 "naive      right" $lab
check "the virtual GPU is named" 0 "on the virtual GPU" $lab naive
check "--list shows the points" 0 "30 points" $lab --list
check "--help names the sizes" 0 "-n N       width" $lab --help
check "an unknown stage is refused" 2 "no stage is called foo" $lab foo
check "an unknown option is refused" 2 "--help shows how to use it" $lab -q
check "a size of zero is refused" 2 "0 is no number" $lab -n 0
check "a size that is no number is refused" 2 "12x is no number" $lab -n 12x

build $lab solutions
check "the solution is right in every stage" 0 "swizzle    right" $lab
check "sizes can be chosen" 0 "width 65, height 33" $lab padded -n 65 -m 33
check "stages can be chosen by row" 0 "padded     right" $lab 3 --reps 3
check "a right answer does not depend on the seed" 0 "rows       right" $lab rows --seed 77

mkdir -p "$folder/broken/lab3-bank-conflicts"
file=lab3-bank-conflicts/lab3.cu
sed 's/int column = blockIdx.x/int column = blokIdx.x/' labs/$file >"$folder/broken/$file"
check "a file that does not compile shows the compiler's words" 2 'identifier "blokIdx" is undefined' \
    make --no-print-directory VIRTUAL=1 LAB_SOURCES="$folder/broken" $lab
sed '/^void transpose_padded/,/^}/d' labs/$file >"$folder/broken/$file"
build $lab "$folder/broken"
check "a deleted entry point is named" 1 "must define transpose_padded" $lab padded
sed '1,/__syncthreads();/s/__syncthreads();//' solutions/$file >"$folder/broken/$file"
build $lab "$folder/broken"
check "what the virtual GPU finds chooses the hint" 1 "__syncthreads() must stand between" env VGPU_CHECK=full $lab tiled
sed 's/tile\[threadIdx.y\]\[threadIdx.x\] = in/&/; s/^    __syncthreads();$/    if (column < width)\n        __syncthreads();/' \
    solutions/$file >"$folder/broken/$file"
build $lab "$folder/broken"
check "right results that are not clean are told so" 0 "not clean: All threads of the block must reach" \
    env VGPU_CHECK=full $lab tiled -n 33 -m 33
build $lab labs

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
