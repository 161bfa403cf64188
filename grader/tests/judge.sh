#!/bin/sh
# judge.sh - the scout and the judge on a tiny lab with one stage per mistake: judge.sh JUDGE OUT WORK
# make has built the lab in OUT; what comes of it lies in WORK. Every row of tiny-lab/tiny.def is recorded, replayed and its verdict compared; then recordings
# are damaged.
# ON_GPU=1: some of the stages on the GPU of this machine instead. ONLY='right wrong': these stages, and nothing damaged.
judge=$1 out=$2 work=$3
lab=$(dirname "$0")/tiny-lab
passed=0 failed=0
mkdir -p "$work"

pass() { passed=$((passed + 1)); echo "pass $1"; }
fail() { failed=$((failed + 1)); echo "FAIL $1: $2"; }
finish() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }

judge() { # stage trace [option...]: the verdict is on stdout
    stage=$1 trace=$2
    shift 2
    sh common/vgpu/tests/limited.sh "$judge" --lab "$out/lab.so" --stage "$stage" --trace "$trace" \
        --fatbin "${fatbin:-$out/tiny.fatbin}" --baseline-trace "$out/baseline.trace" --baseline-fatbin "$out/baseline.fatbin" \
        --seed 7 --limit "${limit:-500}" --shown tiny.cu --source "$lab/tiny.cu" --stdout "$@"
}

record() {
    "$out/scout-tiny" --stage "$1" --source tiny.cu --out "$work/$1.trace" >"$work/$1.log" 2>&1 ||
        { fail "$1" "the scout ends with status $?"; return 1; }
}

check_stage() {
    record "$1" || return
    judge "$1" "$work/$1.trace" >"$work/$1.verdict" 2>"$work/$1.err"
    if line=$("$out/expect" "$1" timed <"$work/$1.verdict"); then pass "$1"; else fail "$1" "$line; verdict: $work/$1.verdict"; fi
}

# What is timed while it is verified is found to be the same, word by word, whatever is wrong with it.
check_ahead() {
    if judge "$1" "$work/$1.trace" --ahead 2>/dev/null | cmp -s - "$work/$1.verdict"; then pass "$1, timed while it is verified"
    else fail "$1, timed while it is verified" "the verdict is another one"; fi
}

# A stage's kernel in the slot of another: judged as that one.
check_slot() { # slot stage row
    if line=$(judge "$2" "$work/$1.trace" --slot "$1" | "$out/expect" "$3"); then pass "$1 in the slot of $2"
    else fail "$1 in the slot of $2" "$line"; fi
}

# Seconds of CPU time are the last resort: the grid would need more of them until it has done too much work.
check_watchdog() {
    if limit=1 judge huge_grid "$work/huge_grid.trace" | grep -q '^case.*It had not ended after 1 s'; then pass "the watchdog"
    else fail "the watchdog" "no case says that it had not finished after 1 s"; fi
}

# A time that no GPU can reach is no time, and is said why.
check_floor() {
    verdict=$(judge impossible "$work/right.trace" --slot right)
    if echo "$verdict" | grep -q '^case.*us are less than the .* us that this GPU takes to issue' &&
        ! echo "$verdict" | grep -q '^time'; then pass "a time below the floor"
    else fail "a time below the floor" "$(echo "$verdict" | grep '^case\|^time')"; fi
}

# The same text must come out of every run.
check_repeat() {
    if judge right "$work/right.trace" | cmp -s - "$work/right.verdict"; then pass "the same verdict twice"
    else fail "the same verdict twice" "they differ"; fi
}

# A time should not depend on what is drawn, also where a quarter of the blocks take fifty times as long as the others: then more blocks
# are executed, until their mean is known to 4 %. Two samples still differ by more than a tenth now and then; the drawn one is timed.
check_times() {
    seen=$(for seed in $(seq 1 20); do
        judge uneven "$work/uneven.trace" --seed "$seed" | grep '^time' | cut -f5
    done)
    set -- $(echo "$seen" | sort | uniq -c | sort -rn | head -n 1)
    if [ "${1:-0}" -ge 14 ] && [ "$(echo "$seen" | awk -v known="$2" '$1 > 0.85 * known && $1 < 1.15 * known' | wc -l)" = 20 ]
    then pass "about the same time with other inputs"
    else fail "about the same time with other inputs" "$1 of 20 alike:" $seen; fi
}

# Words of the source come from the file that the judge is told of, under whatever path the device code names it; from no other.
check_source() { # file word
    if judge out_of_bounds "$work/out_of_bounds.trace" --source "$1" | grep -q "read in global memory: \`$2\`"; then
        pass "its source in $1"
    else fail "its source in $1" "the array is not called $2"; fi
}

check_sources() {
    mkdir -p "$work/own"
    sed '/without_bounds(float/,/^}/s/\<in\>/own_word/g' "$lab/tiny.cu" >"$work/own/tiny.cu"
    check_source "$work/own/tiny.cu" own_word
    check_source "$lab/baseline.cu" "argument 2"
    check_source "$work/own/nothing.cu" "argument 2"
}

# Damaged recordings: always a whole verdict, never a crash, never an error of ours.
check_damage() { # name file
    judge right "$2" >"$work/damaged.verdict" 2>"$work/damaged.err"
    status=$?
    if [ $status = 0 ] && [ "$(tail -n 1 "$work/damaged.verdict")" = end ]; then pass "$1"
    else fail "$1" "status $status, last line $(tail -n 1 "$work/damaged.verdict")"; fi
}

check_refused() { # name file
    check_damage "$1" "$2"
    if grep -q "cannot be used" "$work/damaged.verdict"; then pass "$1 is refused"
    else fail "$1 is refused" "$(grep -m1 ^case "$work/damaged.verdict")"; fi
}

damage_byte() { # from to position
    cp "$1" "$2" && printf '\377' | dd of="$2" bs=1 seek="$3" conv=notrunc 2>/dev/null
}

check_damages() {
    size=$(wc -c <"$work/right.trace")
    head -c $((size - 1)) "$work/right.trace" >"$work/cut.trace"
    check_refused "a recording that lacks its last byte" "$work/cut.trace"
    : >"$work/cut.trace"
    check_refused "an empty recording" "$work/cut.trace"
    check_refused "a missing recording" "$work/nowhere.trace"
    for part in 1 2 3 4 5 6 7 8 9 10 11; do
        damage_byte "$work/right.trace" "$work/cut.trace" $((size * part / 12))
        check_damage "a recording with a bad byte at $part/12" "$work/cut.trace"
    done
    head -c 1000 "$out/tiny.fatbin" >"$work/cut.fatbin"
    fatbin=$work/cut.fatbin check_damage "device code that is cut off" "$work/right.trace"
}

# On a GPU only the timed case is run: right with a time, or wrong without one.
check_on_gpu() { # right|wrong stage [option...]
    expected=$1 stage=$2
    shift 2
    record "$stage" || return
    judge "$stage" "$work/$stage.trace" "$@" >"$work/$stage.verdict" 2>"$work/$stage.err"
    grep -E '^(case|time|failure)' "$work/$stage.verdict"
    cases=$(grep -c "^case	4294967295	1" "$work/$stage.verdict") times=$(grep -c '^time	gpu' "$work/$stage.verdict")
    if [ "$expected" = right ] && [ "$cases $times" = "1 1" ]; then pass "$stage on the GPU"
    elif [ "$expected" = wrong ] && [ "$times" = 0 ] && grep -q "^case	4294967295	0" "$work/$stage.verdict"; then
        pass "$stage on the GPU"
    else fail "$stage on the GPU" "not $expected: $(tail -n 3 "$work/$stage.verdict" "$work/$stage.err")"; fi
}

if [ -n "${ON_GPU:-}" ]; then
    limit=${LIMIT:-5} # of the clock, for kernels that wait for good: no GPU counts their instructions
    for stage in right other_stream own_memory prints edge; do check_on_gpu right "$stage"; done
    for stage in is_missing untouched no_launch partly wrong changes_input device_state host_read thief \
        skips_writing skips_reading; do
        check_on_gpu wrong "$stage"
    done
    check_on_gpu wrong waits
    check_on_gpu right right
    finish
fi
stages=$(sed -n 's/^STAGE(\([a-z_]*\),.*/\1/p' "$lab/tiny.def")
echo "$(echo ${ONLY:-$stages} | wc -w) cases"
for stage in ${ONLY:-$stages}; do check_stage "$stage"; done
for stage in ${ONLY:-$stages}; do ! grep -q '^time\|^case	4294967295' "$work/$stage.verdict" || check_ahead "$stage"; done
[ -z "${ONLY:-}" ] || finish
check_ahead wrong
check_watchdog
check_floor
check_repeat
check_times
check_sources
check_slot wrong right wrong
check_slot right wrong right
check_damages
finish
