#!/bin/sh
# run.sh - properties that the times of the model must have, whatever its figures: run.sh PROGRAM FOLDER-OF-PROFILES
# PROGRAM is model.c. Expected values are definitions (flop, bytes, wavefronts), or arithmetic with a profile's figures;
# every tolerance stands in its claim. No claim is about a GPU's own times: bench/ and tests/behaviour have those.
here=$(dirname "$0")
program=$1 gpus=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
gpu=h200 mode=sample

# ---- one launch, and what is known of it ----

measure() { # case: under $gpu and $mode, once; sets $at, where its line and its counters are
    at=$work/$gpu-$mode-$1
    [ -f "$at.line" ] || VGPU_GPU=$gpu VGPU_EXECUTE=$mode VGPU_COUNTERS=$at.json "$program" "$here/kernels.ptx" "$1" \
        >"$at.line" 2>"$at.err" || echo "$1 on $gpu fails: $(tail -n 1 "$at.err")" >&2
}

of() { # case key: a field of its counters, "time_us", or a part of one, "busy.dram"; a part that is not there is 0
    measure "$1"
    awk -v key="$2" '
    { n = split(key, part, "."); text = $0
      if (n == 2) { if (!match(text, "\"" part[1] "\":{[^}]*}")) exit; text = substr(text, RSTART, RLENGTH) }
      if (!match(text, "\"" part[n] "\":")) { if (n == 2) print 0; exit }
      text = substr(text, RSTART + RLENGTH); sub(/^"/, "", text); sub(/["},].*/, "", text); print text }' "$at.json"
}

figure() { # key: of the profile $gpu
    sed -n "s/^$1 = \([0-9.]*\).*/\1/p" "$gpus/$gpu.gpu"
}

# ---- claims ----

pass() { passed=$((passed + 1)); echo "pass $1"; }
fail() { failed=$((failed + 1)); echo "FAIL $1: $2"; }

claim() { # sentence, what awk must find true
    if awk "BEGIN { exit !($2) }" 2>/dev/null; then pass "$1 ($2)"; else fail "$1" "not so: $2"; fi
}

claim_word() { # sentence, word, words that it may be
    case " $3 " in *" $2 "*) pass "$1 ($2)" ;; *) fail "$1" "it is ${2:-nothing}, not $3" ;; esac
}

claim_near() { # sentence, value, expected, tolerance
    apart=$(awk "BEGIN { printf \"%s is %+.2f %% from %g\", \"$2\", 100 * ($2 / ($3) - 1), $3 }" 2>/dev/null)
    if awk "BEGIN { r = $2 / ($3); exit !(r >= 1 - $4 && r <= 1 + $4) }" 2>/dev/null; then
        pass "$1 ($apart, $4 is allowed)"
    else
        fail "$1" "${apart:-there is no value}, $4 is allowed"
    fi
}

# ---- the roofline: 2^24 elements, each 2 flop and 12 bytes ----

saxpy() {
    claim_near "saxpy does 2 flop per element" "$(of saxpy roofline.flop)" "2 * 2^24" 0.001
    claim_near "saxpy moves 12 bytes per element" "$(of saxpy roofline.bytes)" "12 * 2^24" 0.02
    claim_near "its intensity is a sixth" "$(of saxpy roofline.intensity)" "1 / 6" 0.02
    claim_near "its ceiling is on the slope" "$(of saxpy roofline.ceiling_gflops)" "$(figure dram_gbs) / 6" 0.02
    claim_near "its rate is flop over time" "$(of saxpy roofline.gflops)" "2^25 / $(of saxpy time_us) / 1000" 0.01
    claim "it stays under its ceiling" "$(of saxpy roofline.gflops) < $(of saxpy roofline.ceiling_gflops)"
}

# ---- what limits kernels that do one thing ----

limit_dram() {
    claim_word "a float4 copy is limited by DRAM" "$(of copy4 limiter)" dram
    claim "it keeps DRAM busy" "$(of copy4 busy.dram) > 0.9"
    ideal="2 * 2^28 / ($(figure dram_gbs) * 1000)"
    claim_near "it takes its bytes over the bandwidth" "$(of copy4 time_us)" "$ideal" 0.15
    claim "it would be faster with more of it" "$(of copy4 without_limiter_us) < $(of copy4 time_us)"
}

limit_arithmetic() { # 16 flop per round and thread, 1000 rounds
    flop="132 * 16 * 1024 * 1000 * 16"
    peak="2 * $(figure fp32_lanes) * $(figure sms) * $(figure clock_mhz)"
    claim_word "many FMAs are limited by their unit or by issue" "$(of fma32 limiter)" "fp32 issue"
    claim_near "their flop are counted" "$(of fma32 roofline.flop)" "$flop" 0.01
    claim_near "the roof is that of fp32" "$(of fma32 roofline.ceiling_gflops)" "$peak / 1000" 0.001
    claim "they take no less than the peak allows" "$(of fma32 time_us) > $flop / ($peak)"
    claim "and no more than 1.4 times that" "$(of fma32 time_us) < 1.4 * $flop / ($peak)"
    claim "they would be faster without the limit" "$(of fma32 without_limiter_us) < $(of fma32 time_us)"
}

limit_shared() { # 8 blocks of 8 warps on each SM, 100 rounds of 8 reads of 32 wavefronts, one per clock
    claim_word "a column of a tile is limited by shared memory" "$(of banks limiter)" shared
    claim_near "it takes a clock per wavefront" "$(of banks time_us)" "8 * 8 * 100 * 8 * 32 / $(figure clock_mhz)" 0.05
    claim "it would be faster without conflicts" "$(of banks without_limiter_us) < 0.5 * $(of banks time_us)"
}

limit_fp64() { # 640 blocks of 256 threads, evenly over these GPUs' SMs; 200 rounds of 8 FMAs
    for gpu in gtx1080 t4 rtx4090; do
        clocks="640 / $(figure sms) * 256 * 200 * 8 / $(figure fp64_lanes)"
        claim_word "FMAs in fp64 are limited by fp64 on $gpu" "$(of fma64 limiter)" fp64
        claim "they keep their unit busy on $gpu" "$(of fma64 busy.fp64) > 0.9"
        claim_near "they take what few lanes need on $gpu" "$(of fma64 time_us)" "$clocks / $(figure clock_mhz)" 0.1
        claim "they would be faster with more lanes on $gpu" "$(of fma64 without_limiter_us) < $(of fma64 time_us)"
    done
    gpu=h200
}

limit_others() {
    claim_word "loads that wait for each other are limited by latency" "$(of chase limiter)" latency
    claim "they take L1's latency each" "$(of chase time_us) > 2000 * $(figure l1_latency) / $(figure clock_mhz)"
    claim_word "an empty kernel is limited by its launch" "$(of empty limiter)" launch
    claim_near "it takes the launch's time" "$(of empty time_us)" "$(figure launch_overhead_us)" 0.25
    claim "the launch is a part of every time" "$(of chase launch_us) == $(figure launch_overhead_us)"
}

# What a warp does for the first time late in its life counts as well: a record has pieces of long warps only.
late_code() {
    claim_word "atomics on one word limit" "$(of late-10 limiter)" atomic
    claim "behind a long loop they take no less" "$(of late-2000 time_us) >= $(of late-10 time_us)"
    claim "and are seen" "$(of late-2000 busy.atomic) > 0.5"
}

# Eight FMAs a round, 4000 rounds, 132 * 8 warps; a start that waits for its loads has no part in them.
instructions_of_long_loops() {
    claim "a long loop behind a start that waits issues no fewer instructions than it has FMAs" \
        "$(of early-4000 machine_instructions) >= 132 * 8 * 8 * 4000"
    claim "and not many more" "$(of early-4000 machine_instructions) < 1.3 * 132 * 8 * 8 * 4000"
}

# ---- waves and grids ----

waves() {
    wave=$((2 * $(figure sms)))
    claim "one wave has no tail" "$(of wave:$wave tail) == 0"
    claim "one block more has one" "$(of wave:$((wave + 1)) tail) > 0.1"
    claim "and takes longer by a block at least" "$(of wave:$((wave + 1)) time_us) > 1.25 * $(of wave:$wave time_us)"
    claim_near "two waves take twice as long" "$(of wave:$((2 * wave)) time_us)" "2 * $(of wave:$wave time_us)" 0.1
}

# Whoever is alone takes as long as if nobody else had been launched.
lone_threads() {
    mode=all
    for blocks in 3 32 1000 20000; do
        claim_near "one thread takes its time among $blocks blocks" "$(of lone:$blocks time_us)" "$(of lone time_us)" 0.03
        claim_word "and the others have left" "$(of lone:$blocks limiter)" tail
    done
    mode=sample
}

growth() { # case, blocks of growing grids: a hundredth is left to the sample's choice of blocks
    sentence="$1 takes longer with more blocks" last=0 why=
    for blocks in $2; do
        time=$(of "$1:$blocks" time_us)
        awk "BEGIN { exit !(${time:-0} >= 0.99 * $last) }" || why="$why $blocks blocks take $time after $last;"
        last=$time
    done
    if [ -z "$why" ]; then pass "$sentence"; else fail "$sentence" "$why"; fi
}

# ---- sampled execution ----

samples() {
    for case in copy4-small saxpy-small transpose-small reduce-small matmul-small; do
        whole=$(mode=all && of $case time_us)
        claim_near "a sample of $case gives the time of the whole" "$(of $case time_us)" "$whole" 0.1
    done
    claim "a sample says once that results are meaningless" \
        "$(measure copy4-small && grep -c 'results are meaningless' "$at.err") == 1"
    claim "the whole says nothing" "$(mode=all && measure copy4-small && wc -l <"$at.err") == 0"
}

# What a GPU is for, and too much for a host: a million instructions of a sample must do.
large_problems() {
    for case in transpose-8192 reduce-64M matmul-4096; do
        claim "$case is timed from a million instructions" "$(is_affordable sample $case) == 1"
        claim "which are not all that it has" "$(is_affordable all $case) == 0"
        claim "and takes the GPU some time" "$(of $case time_us) > 20"
    done
}

is_affordable() { # execution case
    VGPU_GPU=h200 VGPU_EXECUTE=$1 VGPU_WORK=1000000 "$program" "$here/kernels.ptx" "$2" >/dev/null 2>&1 && echo 1 || echo 0
}

# ---- settings ----

small_cases="copy4-small saxpy-small transpose-small reduce-small matmul-small fma32-small fma64-small banks-small \
divide-small divergent-small histogram-small"

host_threads() {
    for case in $small_cases; do
        one=$(time_with 1 $case) two=$(time_with 2 $case) four=$(time_with 4 $case)
        claim_word "$case takes the same time to the last bit with 1 and 2 host threads" "$two" "${one:-a time}"
        claim_word "$case takes the same time to the last bit with 1 and 4 host threads" "$four" "${one:-a time}"
    done
}

time_with() { # host-threads case
    VGPU_GPU=h200 VGPU_THREADS=$1 "$program" "$here/kernels.ptx" "$2" | cut -d' ' -f2
}

model_off() {
    mode=all
    VGPU_TIME=off VGPU_COUNTERS=$work/$gpu-$mode-off.json "$program" "$here/kernels.ptx" copy4-small \
        >"$work/$gpu-$mode-off.line"
    claim "without the model a launch takes its overhead" "$(of off time_us) == $(figure launch_overhead_us)"
    claim_word "and nothing limits it" "$(of off limiter)" none
    said=$(VGPU_TIME=maybe "$program" "$here/kernels.ptx" empty 2>&1 | grep -c 'VGPU_TIME=maybe is none of on, off')
    claim "another setting than on and off is named" "$said == 1"
    mode=sample
}

profiles() {
    for gpu in $(ls "$gpus" | sed -n 's/\.gpu$//p'); do
        for case in empty copy4 fma32-small fma64-small banks-small chase transpose-small reduce-small matmul-small \
                    histogram-small; do
            claim "$gpu has a time for $case" "$(of $case time_us) > $(figure launch_overhead_us)"
        done
        echo "$(figure dram_gbs) $(of copy4 time_us) $gpu" >>"$work/bandwidths"
    done
    gpu=h200
    order=$(sort -n "$work/bandwidths" | awk '
        NR > 1 && $2 + 0 >= last { print $3 " is no faster than " name }
        { last = $2 + 0; name = $3 }')
    if [ -z "$order" ]; then pass "more bandwidth copies faster"; else fail "more bandwidth copies faster" "$order"; fi
    claim "eight profiles and more" "$(wc -l <"$work/bandwidths") >= 8"
}

# A profile is anybody's file: many more warps on an SM than any GPU has must find room.
many_warps() {
    sed 's/^max_threads = [0-9]*/max_threads = 65536/; s/^max_warps = [0-9]*/max_warps = 2048/
         s/^max_blocks = [0-9]*/max_blocks = 2048/; s/^registers = [0-9]*/registers = 2097152/' "$gpus/h200.gpu" >"$work/wide.gpu"
    VGPU_GPU=$work/wide.gpu VGPU_EXECUTE=sample VGPU_COUNTERS=$work/wide.json "$program" "$here/kernels.ptx" copy4 >"$work/wide.line" 2>&1
    claim "a profile with 2048 warps per SM has a time" "$? == 0 && $(grep -c '"blocks_per_sm":228' "$work/wide.json") == 1"
}

saxpy
limit_dram
limit_arithmetic
limit_shared
limit_fp64
limit_others
late_code
instructions_of_long_loops
waves
lone_threads
growth wave "1 2 33 131 132 133 200 264 265 300 400 528 529 1000 2000 5000"
growth copy4 "1 2 33 132 133 264 1000 1056 1057 2000 3000 5000 10000 20000 40000 65536"
growth transpose-8192 "1 2 4 8 16 32 64 128 256"
samples
large_problems
host_threads
model_off
profiles
many_warps
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
