#!/bin/sh
# explain.sh - ./grade explain from outside: explain.sh FOLDER CASE...
# A case is a row of the table below: LAB.STAGE, what is done to the solution with sed ("": nothing), and texts that must be said.
# They follow from what the kernels do: sectors and passes of a request can be counted by hand, lines are where the access
# stands, and the limits of lab 6 are those that its stages are about.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" = --one ]; then
    folder=$2/$3 chosen=$3
    rm -rf "$folder"
    mkdir -p "$folder"
    . "$root/grader/tests/outside.sh"
elif [ "$1" != --list ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

explains() { # case stage sed text...
    if [ -z "${chosen:-}" ]; then
        echo "$1"
        return
    fi
    [ "$1" = "$chosen" ] || return
    case=$1 stage=$2 lab=${2%%.*}
    sed "$3" "$root"/solutions/"$lab"-*/"$lab.cu" >"$lab.cu"
    shift 3
    grade explain "$stage" --virtual --file "$lab.cu"
    expect "$case" 0 "$@"
    awk 'length($0) > 80 { exit 1 }' "$out" || fail "$case" "a line of more than 80 columns" "$out"
    [ "$(wc -l <"$out")" -le 45 ] || fail "$case" "more than a screen or two" "$out"
}

explains column_by_column lab3.naive '' "Limited by the L2 cache" "out[(size_t)column * height + row] = in" \
    'global store of `out`: 32.0 sectors a request, 4.0 would do' "32 sectors are 1024 bytes, of which lanes use 128" "+0 |#.......|"
explains conflicts lab3.tiled '' "Limited by the banks of shared memory" 'shared load of `tile`: 32.0 passes a request, 1.0 would do' \
    "has 32 words to give, one after another: lanes 0 1 2 3" "bank conflicts cost up to" "lab3-bank-conflicts.md, section 2"
explains no_conflicts lab3.padded '' "No access to memory takes more sectors or passes than it must"
explains conflicts_that_cost_nothing lab3.rows 's/tile\[WIDE\]\[WIDE + 1\]/tile[WIDE][WIDE + 2]/' "Limited by the memory of the device (DRAM)" "2.0 passes a request, 1.0 would do" \
    "Bank conflicts cost nothing here"
explains a_copy lab3.rows '' "Limited by the memory of the device (DRAM)"
explains strides lab2.strided '' "Limited by the memory of the device (DRAM)" 'out[i] = scaled(in[i]);' \
    'global load of `in`: 32.0 sectors a request, 4.0 would do'
explains divergence lab4.shared '' "divergence costs" "if (t % (2 * s) == 0)"
explains tiles lab5.tiled '' "Limited by the banks of shared memory" 'sum += tile_a[ty][i] * tile_b[i][tx];' "Roofline:" "flop/byte"
explains tiny_blocks lab6.tiny_blocks '' "Limited by the start of blocks" "out[i] = scaled(in[i]);"
explains a_tail lab6.two_waves '' "Limited by its last blocks"
explains one_chain lab6.one_chain '' "Limited by latency" "balance = balance * rate + 0.5f;"
explains many_loads lab6.mlp '' "Limited by the memory of the device (DRAM)" "x[k] = in[(size_t)(row + k) * n + column];"
explains an_index_per_lane lab7.wrong_constant '' "Limited by constant memory" "float value = constant_entries[entry];"
explains copies lab8.pinned '' "the rest goes to the host, to copies and to the launch"
explains atomics lab10.global '' "Limited by atomics that meet at the same place" "atomicAdd(&counts[in[i]], 1);"

# What the student's handout quotes is what is said today.
if [ "${chosen:-}" = conflicts ]; then
    sed -n '/^## Why is it slow/,/^## By hand/s/^    //p' "$root/handouts/student.md" | diff - "$out" >difference &&
        pass "the handout's own report" || fail "the handout's own report" "it is another today" difference
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
