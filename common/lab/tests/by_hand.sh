#!/bin/sh
# by_hand.sh - a lab's program as students run it: by_hand.sh FOLDER
# What it says and its exit status for a skeleton, for a solution, for wrong options and for a file that does not compile.
# FOLDER keeps the spoilt files. make has built build/lab3; here it is made again from other sources.
folder=$1
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL

# check WHAT STATUS WORDS COMMAND...: the command ends with STATUS, and what it prints contains WORDS; lines and spaces do not
# matter.
check() {
    what=$1 status=$2 words=$3
    shift 3
    said=$("$@" 2>&1)
    got=$?
    if [ "$got" = "$status" ] && echo "$said" | tr -s ' \n' '  ' | grep -qF -- "$words"; then
        passed=$((passed + 1))
        echo "pass $what"
    else
        failed=$((failed + 1))
        echo "FAIL $what: status $got, expected $status and the words \"$words\""
        echo "    run it: $*"
        echo "$said" | tail -n 12 | sed 's/^/    | /'
    fi
}

pass() {
    passed=$((passed + 1))
    echo "pass $1"
}
fail() {
    failed=$((failed + 1))
    echo "FAIL $1: $2"
}

# The by-hand program $1, with the student's file taken from $2.
build() {
    make --no-print-directory VIRTUAL=1 LAB_SOURCES="$2" "$1" 2>&1
}

lab=build/lab3
build $lab labs
check "the skeleton compiles and fails with a hint" 1 "TODO 1" $lab tiled
check "a given stage is right" 0 "naive right" $lab naive
check "a wrong stage among right ones decides the status" 1 "naive right" $lab
check "the timed size is the default" 0 "width 8192, height 8192" $lab naive
check "what is executed of it is told" 0 "A sample of the blocks is timed" $lab naive
check "the kit's own step is as fast as its copy" 0 "1.00x" $lab naive
check "the base of a speedup is named" 0 "over the kit's naive" $lab naive
check "a small size is told to be bound by the launch" 0 "bound by the launch" $lab naive -n 33 -m 33
check "the virtual GPU is named" 0 "on the virtual GPU" $lab naive
check "--list shows the points" 0 "30 points" $lab --list
check "--help names the sizes" 0 "-n N width" $lab --help
check "an unknown stage is refused" 2 "no stage is called foo" $lab foo
check "an unknown option is refused" 2 "--help shows how to use it" $lab -q
check "an option without its value is refused" 2 "wants a value" $lab --seed
check "an unknown case is refused" 2 "there is no case 99" $lab --case 99
check "--list shows the cases" 0 "14 width 300, height 200" $lab --list
check "a size of zero is refused" 2 "0 is no number" $lab -n 0
check "a size that is no number is refused" 2 "12x is no number" $lab -n 12x

build $lab solutions
check "the solution is right in every stage" 0 "swizzle right" $lab
check "a time comes with its share of a copy" 0 "% of a copy" $lab rows
check "a speedup comes with its need" 0 "4.60x" $lab rows
check "sizes can be chosen" 0 "width 65, height 33" $lab padded -n 65 -m 33
check "stages can be chosen by row" 0 "padded right" $lab 3 --reps 3
check "a case can be chosen" 0 "width 3, height 70001" $lab rows --case 12
check "a right answer does not depend on the seed" 0 "rows right" $lab rows --seed 77
check "all blocks can be executed" 0 "tiled right" $lab tiled -n 2048 -m 4096 --all
if $lab naive -n 9 2>&1 | grep -q older; then fail "a new program" "it says that it is older"; else pass "a new program"; fi
for columns in 80 60; do
    long=$(COLUMNS=$columns $lab | awk -v most=$columns 'length($0) > (most < 78 ? 78 : most)')
    if [ -z "$long" ]; then pass "lines fit $columns columns"; else fail "lines fit $columns columns" "$long"; fi
done
# The time by hand is the time of the report, for the same file.
by_hand=$($lab rows | sed -n 's/.*rows    right *\([0-9.]* us\).*/\1/p')
reported=$(./grade lab3.rows --virtual --solution | sed -n 's/^ *\([0-9.]* us\),.*/\1/p')
if [ -n "$by_hand" ] && [ "$by_hand" = "$reported" ]; then pass "one scale"; else fail "one scale" "$by_hand by hand, $reported in the report"; fi

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

# ---- cases that ask for an error ----

file=lab0-first-kernel/lab0.cu
mkdir -p "$folder/broken/lab0-first-kernel"
build build/lab0 solutions
check "a fault that a case asks for is no fault of the file" 0 "checked right" build/lab0 checked -n 1000 -m 128 -f 1
check "a launch that a case asks to be refused" 0 "checked right" build/lab0 checked -n 1000 -m 2048
sed 's/report->kernel = .*/report->kernel = cudaSuccess;/' solutions/$file >"$folder/broken/$file"
build build/lab0 "$folder/broken"
check "what a file says of a fault is looked at" 1 "only a call that waits for the kernel" build/lab0 checked -n 1000 -m 128 -f 1
sed 's/add_2d_kernel<<<grid, block>>>/add_2d_kernel<<<grid, dim3(64, 64)>>>/' solutions/$file >"$folder/broken/$file"
build build/lab0 "$folder/broken"
check "a launch that CHECK_LAUNCH() ends is told" 1 "has 4096 threads" build/lab0 add_2d
if build/lab0 add_2d 2>&1 | grep -q leak; then fail "arrays of the kit are no leak" "a leak is told"; else pass "arrays of the kit are no leak"; fi
file=lab3-bank-conflicts/lab3.cu

# ---- what a report names can be run again ----

# Wrong at the edge alone: the last column is left out.
sed 's/if (column < width \&\& row < height)/if (column < width - (width % 32 == 1) \&\& row < height)/' solutions/$file >"$folder/broken/$file"
build $lab "$folder/broken"
./grade lab3.tiled --virtual --file "$folder/broken/$file" >"$folder/report"
again=$(sed -n 's/^ *By hand: //p' "$folder/report")
words=$(tr -s ' \n' '  ' <"$folder/report" | sed -n 's/.* With \(width [0-9]*, height [0-9]*: out[^ ]* [^;]*should be [0-9.e+-]*\).*/\1/p')
said=$($again 2>&1 | tr -s ' \n' '  ')
case $said in
*"With ${words:-?}"*) pass "a report's case, run again, says the same" ;;
*) fail "a report's case, run again, says the same" "$again: $said; the report: $words" ;;
esac
check "a case of the report fails by hand as well" 1 "WRONG" $again

# Right once: what the first call leaves in a variable of the device spoils the second.
cat >>"$folder/broken/$file" <<'END'
__device__ int calls;
__global__ void once_kernel(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width)
        out[(size_t)x * height + y] = in[(size_t)y * width + x] + calls;
}
__global__ void count_kernel() { calls++; }
void once(float *out, const float *in, int width, int height)
{
    once_kernel<<<dim3((width + 31) / 32, height), 32>>>(out, in, width, height);
    count_kernel<<<1, 1>>>();
}
END
sed 's/^void transpose_tiled(.*/void once(float *out, const float *in, int width, int height);\n&/; s/^    tiled_kernel<<<.*/    once(out, in, width, height);/' \
    "$folder/broken/$file" >"$folder/broken/once.cu"
mv "$folder/broken/once.cu" "$folder/broken/$file"
build $lab "$folder/broken"
check "what is right once only is told so" 1 "Right in the first call, wrong in a second one" $lab tiled --case 3

# What a kernel prints is shown once, from the case that is executed as a whole.
sed 's/^    __shared__ float tile.*/    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0) printf("seen\\n");\n&/' solutions/$file >"$folder/broken/$file"
build $lab "$folder/broken"
seen=$($lab tiled | grep -c '^seen$')
if [ "$seen" = 1 ]; then pass "a kernel's printf is shown once"; else fail "a kernel's printf is shown once" "$seen times"; fi

# ---- a program that is older than its file ----

touch "$folder/broken/$file"
check "a program that is older than its file says so" 0 "this program is older than lab3.cu: run \`make lab3 LAB_SOURCES=$folder/broken VIRTUAL=1\`" \
    $lab tiled --case 3
build $lab labs

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
