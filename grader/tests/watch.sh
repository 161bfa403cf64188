#!/bin/sh
# watch.sh - ./grade watch from outside: saves of all kinds, stages that are solved, saves while a run is at work, Ctrl-C; and the
# line on a terminal that says what is being done: watch.sh FOLDER
# Works on a copy of the kit. Nothing here depends on time: words are waited for, for as long as a busy machine may take.
set -u
kit=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
. "$kit/grader/tests/in_copy.sh"
own=$root/labs/lab3-bank-conflicts/lab3.cu
skeleton=$root/common/lab/skeletons/lab3-bank-conflicts/lab3.cu
history=$root/build/results/lab3.history
escape=$(printf '\033')
watcher=
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null; rm -rf "$TMPDIR"' EXIT

begin() { # words of the command line; its output grows in $out
    asked="watch $*"
    : >"$out"
    "$root/grade" watch "$@" >"$out" 2>&1 </dev/null &
    watcher=$!
}
count() { grep -cF -- "$1" "$out"; }
await() { # text [how often]: until it has been said that often; for three minutes at most
    i=0
    while [ "$(count "$1")" -lt "${2:-1}" ]; do
        i=$((i + 1))
        [ $i -lt 1800 ] || return 1
        sleep 0.1
    done
}
told() { # what text [how often]
    if await "$2" "${3:-1}"; then pass "$1"; else fail "$1" "it does not say \"$2\" ${3:-1} times" "$out"; fi
}
interrupt() {
    kill -INT "$watcher"
    wait "$watcher"
    status=$?
    watcher=
}
leaves_nothing() { # what
    if [ -n "$(ls -A "$TMPDIR")" ]; then fail "$1" "files are left: $(ls -A "$TMPDIR")"; else pass "$1: no files"; fi
    if pgrep -f "$TMPDIR/" >/dev/null; then fail "$1" "processes are left: $(pgrep -af "$TMPDIR/")"; else pass "$1: no processes"; fi
}
waiting="waiting for the next save; Ctrl-C ends"

# Stage `tiled` is solved, all others are as in the skeleton.
sed 's/^void transpose_tiled(/static void given_tiled(/' "$skeleton" >tiled.cu
cat >>tiled.cu <<'END'
__global__ void through_a_tile(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (column < width && row < height)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + column];
    __syncthreads();
    int out_column = blockIdx.y * 32 + threadIdx.x, out_row = blockIdx.x * 32 + threadIdx.y;
    if (out_column < height && out_row < width)
        out[(size_t)out_row * height + out_column] = tile[threadIdx.x][threadIdx.y];
}
void transpose_tiled(float *out, const float *in, int width, int height)
{
    (void)given_tiled;
    dim3 grid((width + 31) / 32, (height + 31) / 32), block(32, 32);
    through_a_tile<<<grid, block>>>(out, in, width, height);
}
END
{ cat "$skeleton"; echo 'int broken = nothing;'; } >broken.cu
# Its host code waits, so that the run is at work for as long as this test needs.
{ sed 's/^void transpose_padded(/static void given_padded(/' tiled.cu
  echo '#include <unistd.h>
void transpose_padded(float *out, const float *in, int width, int height) { (void)given_padded; sleep(9); }'; } >asleep.cu

# ---- a file that is not there ----

grade watch lab3 --file nowhere.cu
expect "another file that is not there" 1 "There is no file nowhere.cu" "save one there first"
mv "$own" away.cu
grade watch lab3
expect "the lab's file is not there" 1 "There is no file" "./grade reset lab3 puts the skeleton there"
mv away.cu "$own"
grade watch lab3.nothing
expect "a stage that is not there" 2 "lab3 has no stage \`nothing\`"

# ---- saves ----

begin lab3 --virtual
told "it begins with the first stage that has points left" "lab3.2  tiled"
told "it says what it does" "compiling ..."
told "what is missing" "0 of 30 points, 30 missing"
told "it waits" "$waiting" 1
cat broken.cu >"$own"
told "a save in place, a compile error" 'error: identifier "nothing" is'
told "both times" "s, of which the compiler took" 2
told "it waits again" "$waiting" 2
cp tiled.cu "$own.new"
mv "$own.new" "$own"
told "a save by rename, a stage that is solved" "30 of 30 points: solved"
told "the moment of success" "Solved: lab3.2 tiled, 30 of 30 points, 2.1"
told "what it taught" "Learned: Shared memory turns the data round"
told "the next stage follows" "This is the next one."
told "without another compilation" "     judging ..."
told "its points" "0 of 30 points, 30 missing" 2
told "and it waits" "$waiting" 3
if grep -q "tiled=30/30" "$history"; then pass "solved stages are kept"; else fail "history" "no tiled=30/30" "$history"; fi
mv "$own" away.cu
told "a file that is gone is waited for" "lab3.cu is gone or cannot be read: waiting for it"
cp asleep.cu "$own"
told "and graded when it is back" "compiling ..." 4
kept=$(wc -l <"$history")
cp broken.cu "$own"
told "a save during a run ends it" "saved again: this run is given up"
told "the newer text is graded" 'error: identifier "nothing" is' 2
told "and waited for" "$waiting" 4
if [ "$(wc -l <"$history")" = $((kept + 1)) ]; then pass "of a run that is given up nothing is kept"; else fail "history" "not one line more than $kept" "$history"; fi
if grep -q "$escape" "$out"; then fail "a pipe" "it has escapes" "$out"; else pass "a pipe has no escapes"; fi
if LC_ALL=C awk 'length($0) > 80 { exit 1 }' "$out"; then pass; else fail "a pipe" "a line of more than 80 columns" "$out"; fi

# ---- Ctrl-C ----

cp asleep.cu "$own"
told "a run is at work" "compiling ..." 6
interrupt
if [ "$status" = 130 ]; then pass "Ctrl-C ends with 130"; else fail "Ctrl-C" "exit status $status, not 130"; fi
leaves_nothing "Ctrl-C during a run"

# ---- who reads it goes ----

kept=$(wc -l <"$history")
"$root/grade" watch lab3.2 --virtual --file broken.cu 2>&1 </dev/null | sed '/waiting for/q' >"$out"
if grep -qF "$waiting" "$out"; then pass "it ends when nobody reads it"; else fail "a reader" "it does not wait" "$out"; fi
leaves_nothing "no reader"
if [ "$(wc -l <"$history")" = "$kept" ]; then pass "another file leaves no trace"; else fail "history" "a line of another file" "$history"; fi

# ---- a terminal ----

on_terminal() { # rows columns environment words...: until $waiting has been said, then Ctrl-C
    rows=$1 columns=$2 environment=$3
    shift 3
    asked="$* (on a terminal)"
    : >"$out"
    env $environment TERM=xterm script -qfec "stty rows $rows cols $columns; echo \$\$ >pid; exec '$root/grade' $*" "$out" </dev/null >/dev/null 2>&1 &
    watcher=$!
    case $1 in watch)
        await "$waiting" || fail "a terminal" "it does not say \"$waiting\"" "$out"
        kill -INT "$(cat pid)" ;;
    esac
    wait "$watcher"
    watcher=
    tr -d '\r' <"$out" | sed '1d;$d' >typed
}
if command -v script >/dev/null; then
    on_terminal 12 50 "LC_ALL=C NO_COLOR=1" watch lab3.2 --virtual --file broken.cu
    if grep -q "$escape\\[H" typed; then pass "pictures begin at the top"; else fail "a terminal" "nothing is drawn in place" typed; fi
    if grep -q "$escape\\[[0-9;]*m" typed; then fail "NO_COLOR" "there are colours" typed; else pass "NO_COLOR"; fi
    sed "s/$escape\\[[0-9;]*[A-Za-z]//g" typed >plain
    if LC_ALL=C awk 'length($0) > 50 { exit 1 }' plain; then pass "as wide as the terminal"; else fail "50 columns" "a longer line" plain; fi
    if LC_ALL=C grep -q "$(printf '[\200-\377]')" plain; then fail "no UTF-8" "it is not plain ASCII" plain; else pass "plain ASCII"; fi
    if awk -v home="$escape[[]H" '$0 ~ home { rows = 0 } { rows++ } rows > 12 { exit 1 }' typed && grep -q "more lines: they need a higher window" plain
    then pass "no higher than the terminal"; else fail "12 rows" "a picture is higher" typed; fi
    on_terminal 30 80 "LC_ALL=C.UTF-8" watch lab3.2 --virtual --file broken.cu
    if grep -q "$escape\\[1m" typed; then pass "colours on a terminal"; else fail "colours" "there are none" typed; fi
    leaves_nothing "Ctrl-C on a terminal"

    # ---- what is being done, after half a second of silence ----

    on_terminal 24 40 "LC_ALL=C" lab3.padded --virtual --file asleep.cu
    if grep -q "$escape\\[K[-|/\\\\] recording" typed; then pass "a line says what is done"; else fail "silence" "nothing says what is done" typed; fi
    if tr '\r' '\n' <"$out" | sed "s/$escape\\[[0-9;]*[A-Za-z]//g" | grep '^[-|/\\] ' | awk 'length($0) > 39 { exit 1 }'; then pass "it fits"; else fail "silence" "more than 39 columns" typed; fi
    if grep -q "^$escape\\[K  3  padded" typed || grep -q "$escape\\[K *3  padded" typed; then pass "it goes when there is more to say"; else fail "silence" "the line stays" typed; fi
else
    echo "skip: there is no script(1), so nothing is tried on a terminal (it is in util-linux or bsdutils)"
fi
grade lab3.padded --virtual --file broken.cu
if grep -q "compiling\|$escape" "$out"; then fail "a pipe" "it says what is being done" "$out"; else pass "nothing of that in a pipe"; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
