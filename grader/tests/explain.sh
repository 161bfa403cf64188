#!/bin/sh
# explain.sh - ./grade explain from outside: explain.sh FOLDER CASE...; explain.sh --list names the cases.
#
# Most of them come from explained/labN.txt, a row for each given kernel, each stage of the solution and five mistakes of a lab:
#   given STAGE | LIMIT | LINE | ACCESS | ...        the kernel that students begin with, of the skeleton
#   solution STAGE | ...
#   mistake NAME | ...                               mistakes/labN/NAME.patch applied to the solution; the patch names the stage
# LIMIT is what limits the kernel, never taken from what the kit prints:
#   h200 KERNEL        what Nsight Compute says of it on an H200 (common/vgpu/bench/h200/limits.csv); it is also the kernel that
#                      must be explained
#   like labN KERNEL   the same of another kernel that does the same
#   dram, latency, ... by thought: the comment above the row has the reason
# LINE is the beginning of a line that must be among the most expensive, found in the kernel's source; "work.h: TEXT" is one of a header.
# What follows a line stands below it ("global load of `in`: 4.0 sectors", "8.0 of 32 lanes active"). "worst TEXT" is the worst
# access, "says TEXT" stands anywhere. words.txt has what limits are called. Where explain names another limit,
# differences.txt has both names, and the row fails when they agree.
# Rows of one file are explained together, for to compile takes longest: labN-given, labN-solution, labN-mistakes.K.
#
# The rest are rows of the table below: LAB.STAGE, what is done to the solution with sed ("": nothing), and texts that must be
# said, which follow from what the kernels do.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
tests=$root/grader/tests
. "$tests/patches.sh"
if [ "$1" = --one ]; then
    folder=$2/$3 chosen=$3
    rm -rf "$folder"
    mkdir -p "$folder"
    . "$tests/outside.sh"
elif [ "$1" != --list ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

# ---- tables of the labs ----

rows_of() { sed -n "s/^\($2 .*\)/\1/p" "$tests/explained/$1.txt"; } # lab kind
mistakes_of() { rows_of "$1" mistake | sed "s/^mistake \([^ ]*\) .*/$1-\1/"; }

list_tables() {
    for table in "$tests"/explained/lab*.txt; do
        lab=$(basename "$table" .txt)
        echo "$lab-given"
        echo "$lab-solution"
        share_out $(mistakes_of "$lab") | sed "s/^$lab[.]\([0-9]*\) .*/$lab-mistakes.\1/" | sort -u
    done
}

# Writes labN.cu, and the rows that are about it, each with its stage before it.
prepare_own() { # kind
    case $1 in
    given) cp "$root"/common/lab/skeletons/"$lab"-*/"$lab.cu" . ;;
    solution) cp "$root"/solutions/"$lab"-*/"$lab.cu" . ;;
    esac
    rows_of "$lab" "$1" | awk '{ print $2, $0 }' >rows
}
prepare_mistakes() { # number of the file
    share_out $(mistakes_of "$lab") | sed -n "s/^$lab[.]$1 //p" >shared
    work=. trouble=$(apply_patches $(cut -d ' ' -f 1 shared))
    while read -r case stage; do
        rows_of "$lab" mistake | grep "^mistake ${case#*-} " | sed "s/^/$stage /"
    done <shared >rows
    [ -z "$trouble" ] || fail "$chosen" "$trouble"
}

explain_table() { # labN-KIND
    lab=${1%%-*}
    case $1 in
    *-mistakes.*) prepare_mistakes "${1##*.}" ;;
    *) prepare_own "${1#*-}" ;;
    esac
    grade explain "$lab" --stage "$(cut -d ' ' -f 1 rows | paste -sd, -)" --virtual --file "$lab.cu"
    [ "$status" = 0 ] || fail "$1" "exit status $status" "$out"
    awk -v lab="$lab" -v headers="$(echo "$root"/labs/"$lab"-*)" -v limits="$root/common/vgpu/bench/h200/limits.csv" \
        -v words="$tests/explained/words.txt" -v differences="$tests/explained/differences.txt" \
        -f "$tests/explained.awk" rows "$out" ||
        fail "$1" "the report cannot be compared"
}

case ${chosen:-} in
'') list_tables ;;
lab*-*) explain_table "$chosen" ;;
esac

# ---- other words ----

explains() { # case stage sed text...
    if [ -z "${chosen:-}" ]; then
        echo "$1"
        return
    fi
    case=
    [ "$1" = "$chosen" ] || return
    case=$1 stage=$2 lab=${2%%.*}
    sed "$3" "$root"/solutions/"$lab"-*/"$lab.cu" >"$lab.cu"
    shift 3
    grade explain "$stage" --virtual --file "$lab.cu"
    expect "$case" 0 "$@"
}
never() { # text: which the report of the row above must not have
    [ -n "${case:-}" ] || return
    if tr -s ' \n' '  ' <"$out" | grep -qiF -- "$1"; then fail "$case" "it says \"$1\"" "$out"; else pass "$case: it does not say $1"; fi
}

explains conflicts lab3.tiled '' "Limited by the banks of shared memory" "has 32 words to give, one after another: lanes 0 1 2 3" \
    "Without bank conflicts it would take" "takes 32.0 passes a request where 1.0 would do" "Estimated gain: about" "lab3-bank-conflicts.md, section 2"
explains sectors lab3.naive '' "32 sectors are 1024 bytes, of which lanes use 128" "+0 |#.......|"
explains no_conflicts lab3.padded '' "No access to memory takes more sectors or passes than it must"
explains conflicts_that_cost_nothing lab3.rows 's/tile\[WIDE\]\[WIDE + 1\]/tile[WIDE][WIDE + 2]/' "Limited by the memory of the device (DRAM)" "2.0 passes a request, 1.0 would do" \
    "Bank conflicts cost nothing here"
# Lanes that change one word wait for each other, whatever the banks are.
explains atomics_on_one_word lab0.group_sums '' "Atomics of a warp on one word go one after another"
# One limit is as near as the other: what takes the first away gains nothing.
explains two_limits lab7.constant '' "Without this limit it would take as long: another one is as near."
explains divergence lab4.shared '' "divergence costs" "are remainders of integers" "if (t % (2 * s) == 0)"
# One array of two is pinned: the copies are named before the kernel, and what to do is about them.
explains copies lab8.pinned '/^void run_pinned/,/^}/{/pin(host_out/d}' "1 copy to the device: 67.1 MB from pinned memory" \
    "1 copy to the host: 67.1 MB to pageable memory" "work.h:" "kernels are not what takes most of the time here: copies of pageable memory"
explains a_last_wave lab9.marching 's/rows = rows_per_warp(strips, height);/rows = height == 4096 ? 94 : 64;/' \
    "407 blocks, of which 396 fit on the GPU at once: the last 11 are a second wave" "Limited by its last blocks" "as many as fit at once"
explains a_roofline lab5.tiled '' "Roofline:" "flop/byte"
# Advice follows from what was counted, not from what limits the kernel: banks that are as busy without a conflict, multipliers that compute
# remainders.
explains banks_without_conflicts lab5.tiled '' "Limited by the banks of shared memory" "1.0 passes a request, as few as can be" "Let each thread compute several results"
never "conflicts"
explains remainders lab4.shared 's/if (t % (2 \* s) == 0)/if (t % (2 * s) % (t + 1000) % (t + 2000) % (t + 3000) == 0)/' "Limited by the integer multipliers" "are remainders of integers"
never "products"
# Small blocks, each with one atomic on one sum: there are too many blocks, not too many atomics of a block.
explains one_atomic_per_block lab4.shuffle '/^constexpr unsigned BLOCK/s/256/64/; /^void reduce_shuffle/,/^}/s/blocks = .*;/blocks = (unsigned)((n + 255) \/ 256);/
    s/partial\[blockIdx.x\] = total;/atomicAdd((unsigned long long *)partial, (unsigned long long)total);/' "Limited by atomics that meet at the same place" "each block does one atomic"
never "add up its part first"

# What the student's handout quotes is what is said today.
if [ "${chosen:-}" = conflicts ]; then
    sed -n '/^## Why is it slow/,/^## The page/s/^    //p' "$root/handouts/student.md" | diff - "$out" >difference &&
        pass "the handout's own report" || fail "the handout's own report" "it is another today" difference
fi

# No stage escapes, and each lab has its five mistakes.
if [ -z "${chosen:-}" ]; then
    echo complete
elif [ "$chosen" = complete ]; then
    for lab in $(cd "$root/labs" && ls -d lab*-* | sed "s/-.*//"); do
        grade explain "$lab.99"
        tr -s " \n" "  " <"$out" | sed "s/.*There are: //; s/[.] *\$//; s/, /\n/g" | sed "s/^[0-9]* //" | sort >stages
        { rows_of "$lab" given; rows_of "$lab" solution; } | cut -d " " -f 2 | sort | diff - stages >difference &&
            [ "$(mistakes_of "$lab" | wc -l)" -ge 5 ] && pass "$lab is complete" ||
            fail "$lab is complete" "a row for each stage and five mistakes" difference
    done
fi

if [ -z "${chosen:-}" ]; then
    echo refused
elif [ "$chosen" = refused ]; then
    grade explain lab3
    expect "a lab without a stage" 2 '`explain` wants a stage: ./grade explain lab3.2'
    grade explain lab3.tiled --virtual --file "$root/common/lab/skeletons/lab3-bank-conflicts/lab3.cu"
    expect "a skeleton" 1 "The entry point launched no kernel."
    submission '' 'nonsense;' ''
    grade explain lab3.tiled --virtual --file bad.cu
    expect "a file that does not compile" 1 "bad.cu does not compile" '"nonsense" is undefined'
fi
exit 0
