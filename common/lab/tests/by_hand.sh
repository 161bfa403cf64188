#!/bin/sh
# by_hand.sh - a lab's program as students run it: by_hand.sh FOLDER most|chains
# What it says and its exit status for a skeleton, for a solution, for wrong options and for a file that does not compile.
# chains: what launches that go on from each other do at the timed size, of which a sample of the blocks is executed; most: all else.
# FOLDER keeps the spoilt files. make has built build/lab3; here it is made again from other sources.
folder=$1 part=$2
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL

# check WHAT STATUS WORDS COMMAND...: the command ends with STATUS, and what it prints contains WORDS; lines and spaces do not
# matter.
check() {
    what=$1 status=$2 words=$3
    shift 3
    ran=$*
    said=$("$@" 2>&1)
    got=$?
    judge
}

# also WHAT WORDS: what the last command printed contains these words as well.
also() {
    what=$1 words=$2
    judge
}

judge() {
    if [ "$got" = "$status" ] && echo "$said" | tr -s ' \n' '  ' | grep -qF -- "$words"; then
        passed=$((passed + 1))
        echo "pass $what"
    else
        failed=$((failed + 1))
        echo "FAIL $what: status $got, expected $status and the words \"$words\""
        echo "    run it: $ran"
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
if [ "$part" = most ]; then
build $lab labs
check "the skeleton compiles and fails with a hint" 1 "TODO 1" $lab tiled
check "a wrong stage among right ones decides the status" 1 "naive right" $lab
check "a given stage is right" 0 "naive right" $lab naive
also "the timed size is the default" "width 8192, height 8192"
also "what is executed of it is told" "A sample of the blocks is timed"

also "the kit's own step is as fast as its copy" "1.00x"
also "the base of a speedup is named" "over the kit's naive"
also "the virtual GPU is named" "on the virtual GPU"
also "a column of shares is called so" "time share"

# ---- sweeps ----

rm -f $lab-sweep.svg
check "a sweep has a bar for each size" 0 "width stage GB/s 64 naive" $lab naive --sweep n=64..200 -m 64
also "its sizes double, up to the last one" "200 naive"
also "it says where the curve is drawn" "lab3-sweep.svg"
if sh handouts/pictures/check.sh $lab-sweep.svg && [ "$(grep -c '<circle' $lab-sweep.svg)" = 3 ]; then
    pass "the drawing is well-formed and has a point for each size"
else
    fail "the drawing is well-formed and has a point for each size" "$(grep -c '<circle' $lab-sweep.svg) points"
fi
check "two stages stand in one drawing" 0 "32 naive" $lab naive control --sweep n=32,33
check "a wrong stage is told, and not drawn" 1 "tiled WRONG" $lab tiled --sweep n=32,64
check "a sweep needs a stage" 2 "needs the name of a stage" $lab --sweep n=1..4
check "a sweep of no size is refused" 2 "names none of the sizes n m" $lab naive --sweep x=1
for row in n= n=0 n=9..3 n=1.. n=1,,2 n=1..4x n=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41; do
    check "--sweep $row is refused" 2 "is no row of sizes" $lab naive --sweep $row
done

check "a small size is told to be bound by the launch" 0 "bound by the launch" $lab naive -n 33 -m 33
check "--list shows the points" 0 "30 points" $lab --list
also "--list shows the cases" "14 width 300, height 200"
check "--help names the sizes" 0 "-n N width" $lab --help
check "an unknown stage is refused" 2 "no stage is called foo" $lab foo
check "an unknown option is refused" 2 "--help shows how to use it" $lab -q
check "an option without its value is refused" 2 "wants a value" $lab --seed
check "an unknown case is refused" 2 "there is no case 99" $lab --case 99
check "a size of zero is refused" 2 "0 is no number" $lab -n 0
check "a size that is no number is refused" 2 "12x is no number" $lab -n 12x

build $lab solutions
check "the solution is right in every stage" 0 "swizzle right" $lab
check "a time comes with its share of a copy" 0 "% of a copy" $lab rows
also "a speedup comes with its need" "4.60x"
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

sed '/^void transpose_tiled/,/^{/s/^{/{\n    for (;;)\n        cudaMemset(out, 0, 4);/' solutions/$file >"$folder/broken/$file"
build $lab "$folder/broken"
check "a loop of calls without an end is ended" 1 "more than 16384 runtime calls" $lab tiled

# ---- what is found by hand is what ./grade finds ----

# A grid that leaves out the last elements: right where blocks are full, as in the timed case.
sed 's|return dim3((width + side - 1) / side|return dim3(width < side ? 1 : width / side|' solutions/$file >"$folder/broken/$file"
build $lab "$folder/broken"
check "a wrong edge is found with the timed size too" 1 "never written" $lab tiled
file=lab8-transfers/lab8.cu
mkdir -p "$folder/broken/lab8-transfers"
sed '/cudaHostUnregister/d' solutions/$file >"$folder/broken/$file"
build build/lab8 "$folder/broken"
check "memory that stays pinned is a leak, and no wrong result" 0 "pinned right" build/lab8 pinned
also "and is told" "not clean"
file=lab0-first-kernel/lab0.cu
mkdir -p "$folder/broken/lab0-first-kernel"
cp labs/$file "$folder/broken/$file"
build build/lab0 "$folder/broken"
check "who is to find a bug gets no cure" 1 "To find the bug is the task" build/lab0 reverse
if echo "$said" | grep -q 'likely cause\|__syncthreads() between'; then fail "no cure" "$said"; else pass "no cure"; fi
check "a result that is not clean is right" 0 "reverse right" build/lab0 reverse -n 32
if echo "$said" | tr -s ' \n' '  ' | grep -q 'not clean: [^ ]*lab0.cu:[0-9]*: race within a warp'; then
    pass "and the finding is named after the stage was timed"
else
    fail "and the finding is named after the stage was timed" "$said"
fi
check "for programs, there is JSON" 0 '"stage":"copy","case":"count 4096","result":"right"' build/lab0 copy --json

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

fi
if [ "$part" = chains ]; then
# ---- the timed size, of which a sample of the blocks is executed: launches that go on from each other ----

# edit LAB: the solution of a lab's folder, with what sed is told, becomes the file that is built.
edit() {
    of=$1
    shift
    mkdir -p "$folder/chains/$of"
    sed "$@" "solutions/$of/${of%%-*}.cu" >"$folder/chains/$of/${of%%-*}.cu"
    build "build/${of%%-*}" "$folder/chains" || fail "$of" "the edited solution does not compile"
}

build build/lab8 labs
check "five launches in place are right at the timed size" 0 "pieces right" build/lab8 pieces
check "and at a size that is hardly large" 0 "pieces right" build/lab8 pieces -n 4000000
check "--help says what sizes are" 0 "-m N bins of the counters, modulus of the cipher, or rounds" build/lab8 --help
check "--list names a stage's case by its own sizes" 0 "5 count 70001, of stage fused" build/lab8 --list
check "work that the bus limits is no share of a copy" 0 "GB/s (bus)" build/lab8 pageable
check "one stage is one stage" 0 "count 1000 (stage 1) count" build/lab8 pieces host_reset -n 1000
edit lab8-transfers 's/^    all_five<<<.*/    scale<<<blocks_for(count), BLOCK>>>(out, a, count);\
    add<<<blocks_for(count), BLOCK>>>(out, b, count);\
    square<<<blocks_for(count), BLOCK>>>(out, count);\
    shift<<<blocks_for(count), BLOCK>>>(out, count);\
    root<<<count > 30000000 ? 100000 : blocks_for(count), BLOCK>>>(out, count);/'
check "what launches in place leave out at the timed size is found" 1 "WRONG With count 33554432: out[" build/lab8 fused
check "and only there" 0 "fused right" build/lab8 fused -n 4000000
edit lab8-transfers 's/^    all_five<<<.*/    CHECK(cudaMemcpyAsync(out, a, count * sizeof(float), cudaMemcpyDeviceToDevice));\
    in_place<<<blocks_for(count), BLOCK>>>(out, b, count);/
/^void run_fused/i __global__ void in_place(float *out, const float *b, int count)\
{\
    int i = blockIdx.x * BLOCK + threadIdx.x;\
    if (i < count)\
        out[i] = sqrtf((1.5f * out[i] + b[i]) * (1.5f * out[i] + b[i]) + 0.25f);\
}
'
check "one launch that works in place on a copy is right" 0 "fused right" build/lab8 fused -n 4000000
edit lab8-transfers 's/^    all_five<<<.*/    in_turns<<<blocks_for(count), BLOCK>>>(out, a, b, count);/
/^void run_fused/i __device__ unsigned turn;\
__global__ void in_turns(float *out, const float *a, const float *b, int count)\
{\
    int i = blockIdx.x * BLOCK + threadIdx.x;\
    while (threadIdx.x == 0 \&\& *(volatile unsigned *)\&turn != blockIdx.x)\
        ;\
    __syncthreads();\
    if (i < count)\
        out[i] = sqrtf((1.5f * a[i] + b[i]) * (1.5f * a[i] + b[i]) + 0.25f);\
    if (threadIdx.x == 0)\
        atomicExch(\&turn, (blockIdx.x + 1) % gridDim.x);\
}
'
check "blocks that wait for blocks which are not in the sample are right" 0 "fused right" build/lab8 fused -n 4000000
edit lab9-hotspot ''
check "a column of rates is called so" 0 "time rate" build/lab9 global -n 100 -m 100
check "launches of two kinds are right at the timed size" 0 "two_steps right" build/lab9 two_steps -t 5
check "where all blocks would take too long, nobody is called right" 0 "two_steps unsure" build/lab9 two_steps -t 25
also "and it is told what compares it" "timed, but not compared"
mkdir -p "$folder/chains/lab9-hotspot"
cp grader/tests/honest/lab9/own-plates.cu "$folder/chains/lab9-hotspot/lab9.cu"
build build/lab9 "$folder/chains"
check "a result that is copied at the end is right at the timed size" 0 "two_steps right" build/lab9 two_steps
edit lab9-hotspot '/^void heat_blocked/,/^}/s/launch_blocked<4>/launch_blocked<3>/'
check "a last launch of fewer steps is right at the timed size" 0 "blocked right" build/lab9 blocked
edit lab9-hotspot 's/blocks_for(width, TILE - 2),/blocks_for(width, TILE),/'
check "a grid that is counted by whole tiles is too small by hand: across" 1 "shared WRONG" build/lab9 shared
edit lab9-hotspot 's/blocks_for(height, TILE - 2))/blocks_for(height, TILE))/'
check "and down" 1 "shared WRONG" build/lab9 shared

# ---- other orders of blocks, as ./grade runs them ----

edit lab10-primitives 's/nearest -= WARP)/nearest -= WARP - 1)/'
check "what is wrong when many blocks run at once is wrong by hand" 1 "wrong in a second one, in which many blocks run at once: out[" \
    build/lab10 look_back --case 11
edit lab10-primitives 's/int tile = draw_tile(drawn)/int tile = blockIdx.x/'
check "who waits for blocks that begin later is told so, and timed all the same" 0 "look_back right" build/lab10 look_back --case 11
also "with the finding" "deadlock: blocks wait for blocks that begin later"
also "which costs points" "not clean:"

# ---- the work of a stream that is destroyed ----

# The time of lab8's graph by hand, in whole microseconds.
graph_us() {
    edit lab8-transfers "$1" >/dev/null
    build/lab8 graph | sed -n 's/.*graph  *right *\([0-9]*\).*/\1/p'
}
waited=$(graph_us '')
left=$(graph_us '/^void run_graph/,/^}/s/.*cudaStreamSynchronize.*//')
if [ "$waited" ] && [ $((left * 10)) -gt $((waited * 9)) ]; then
    pass "what a destroyed stream still has to do takes its time"
else
    fail "what a destroyed stream still has to do takes its time" "$left us, with a wait $waited us"
fi
edit lab7-memory-spaces '/^void spaces_spill(/i __global__ void transform_groups(float *out, const float *in, int n, int stride)\
{\
    int i = blockIdx.x * BLOCK + threadIdx.x, first = stride == 1 ? blockIdx.y * 8 : blockIdx.y;\
    float x[8];\
    if (i >= n)\
        return;\
    for (int k = 0; k < 8; k++)\
        x[k] = in[(size_t)(first + k * stride) * n + i];\
    transform<8>(x);\
    for (int k = 0; k < 8; k++)\
        out[(size_t)(first + k * stride) * n + i] = x[k];\
}
s/^    transform_shared<<<.*/    transform_groups<<<dim3(blocks_for(task.n, BLOCK), 8), BLOCK>>>(task.out, task.in, task.n, 1);\
    transform_groups<<<dim3(blocks_for(task.n, BLOCK), 8), BLOCK>>>(task.out, task.out, task.n, 8);/'
check "a transform in two halves is right at the timed size" 0 "spill right" build/lab7 spill
check "and at a size that is hardly large" 0 "spill right" build/lab7 spill -n 10000

# ---- a launch that is refused is told with its line ----

# The edited file's line that has these words.
line_of() { grep -nF "$1" "$folder/chains/lab7-memory-spaces/lab7.cu" | cut -d: -f1 | tail -n 1; }
large='/^void spaces_large_shared/,/^}/c void spaces_large_shared(struct task task)\
{\
    int bytes = LARGE_ENTRIES * sizeof(float);\
    ASK\
    look_up_large_shared<<<264, MANY, bytes>>>(task.out, task.in, task.table, task.n);\
    CHECK_LAUNCH();\
}'
edit lab7-memory-spaces "$(echo "$large" | sed 's/^    ASK/    ;/')"
check "by hand, a refused launch has its own line" 1 "lab7.cu:$(line_of '<<<264'): launch with too much" build/lab7 large_shared
edit lab7-memory-spaces "$(echo "$large" | sed 's/^    ASK/    CHECK(cudaFuncSetAttribute(look_up_large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));/')"
check "by hand, with what was asked for it is right" 0 "large_shared right" build/lab7 large_shared
p100() { ./grade lab7.large_shared --virtual --gpu p100 --file "$folder/chains/lab7-memory-spaces/lab7.cu"; }
check "on a GPU that has less, the report names the launch" 1 "lab7.cu:$(line_of '<<<264'): error: too much dynamic shared memory asked for" p100
also "and the kernel as it is written" "for \`look_up_large_shared(float*"
also "and that a call was refused" "a call was refused"

# ---- a file that ends the program itself ----

edit lab8-transfers 's/^    unpin(host_in);/    unpin(host_in); static int calls; if (calls++) CHECK(cudaErrorInvalidValue);/'
check "a file that ends the program in a second call gets its row" 1 "pinned WRONG" build/lab8 pinned
also "and where" "Right in the first call"
also "and its hint" "A launch or another call in run_pinned was refused"
edit lab8-transfers 's/^    unpin(host_in);//'
check "what stays registered is told" 0 "not clean: The results are right, but something is left behind" build/lab8 pinned

fi
if [ "$part" = most ]; then
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

fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
