#!/bin/sh
# run.sh - damaged programs and hostile device code end with a clear message, never by a signal:
# run.sh WORK_FOLDER PROGRAM DEVICE
# PROGRAM is a small CUDA program whose fatbin is plain; its PTX and its container are damaged in copies of it.
# Every copy must end by itself, not with status 0, and stderr must name what is wrong in a line "vgpu: error: ...".
# DEVICE takes PTX the whole way, as fuzz_device.c says: it must survive ptx/*.ptx, each of which once broke something,
# and texts that are far too large in some direction (large.awk).
here=$(dirname "$0")
work=$1 program=$2 device=$3
mkdir -p "$work"
passed=0 failed=0

judge() { # label file words
    sh "$here/../limited.sh" "$2" >"$work/out" 2>"$work/err"
    status=$?
    why=
    if [ "$status" -ge 124 ]; then why="ended by a signal, or does not end: status $status"
    elif [ "$status" = 0 ]; then why="went on as if nothing were wrong"
    elif ! grep -q '^vgpu: error:' "$work/err"; then why="no message"
    elif [ -n "$3" ] && ! grep -qiE "$3" "$work/err"; then why="the message does not say: $3"
    fi
    if [ -z "$why" ]; then
        passed=$((passed + 1))
        echo "pass $1: $(grep -m 1 '^vgpu: error:' "$work/err")"
    else
        failed=$((failed + 1))
        echo "FAIL $1: $why"
        head -n 3 "$work/err"
        echo "    run it: $2"
    fi
}

number() { # bytes offset: the little-endian number there
    od -An -tu"$1" -j "$2" -N "$1" "$program" | tr -d " "
}

# The container, its first entry that holds PTX, and where that text begins and ends.
find_ptx() {
    magic=$(LC_ALL=C grep -abo -P "\x50\xed\x55\xba\x01\x00\x10\x00" "$program" | head -n 1 | cut -d: -f1)
    [ -n "$magic" ] || return 1
    head=$((magic + 16))
    end=$((head + $(number 8 $((magic + 8)))))
    while [ "$head" -lt "$end" ] && [ "$(number 2 "$head")" != 1 ]; do
        head=$((head + $(number 4 $((head + 4))) + $(number 8 $((head + 8)))))
    done
    [ "$head" -lt "$end" ] || return 1
    text=$((head + $(number 4 $((head + 4)))))
    length=$(number 8 $((head + 8)))
}

offset_of() { # text: byte offset of its first occurrence in the PTX
    at=$(dd if="$program" bs=1 skip="$text" count="$length" 2>/dev/null | grep -abo -- "$1" | head -n 1 | cut -d: -f1)
    echo $((text + at))
}

patched() { # label offset bytes... : a copy with these bytes (printf escapes) at the offset
    cp "$program" "$work/$1"
    printf "$3" | dd of="$work/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

if ! find_ptx; then
    echo "FAIL bad_input: no plain PTX found in $program"
    echo "0 passed, 1 failed"
    exit 1
fi
version=$(offset_of "\.version ")
entry=$(offset_of "\.visible \.entry ")

patched magic "$magic" '\001\002\003\004'
judge "container without its magic" "$work/magic" ''
patched size $((magic + 8)) '\377\377\377\377\377\377\377\177'
judge "container longer than the file" "$work/size" ''
patched small $((magic + 8)) '\020\000\000\000\000\000\000\000'
judge "container that ends before its PTX" "$work/small" ''
patched header $((head + 4)) '\377\377\377\377'
judge "entry with an endless header" "$work/header" ''
patched payload $((head + 8)) '\377\377\377\377\377\377\377\377'
judge "entry with an endless payload" "$work/payload" ''
patched compressed $((head + 40)) '\000\200\000\000\000\000\000\000'
judge "entry that claims to be compressed" "$work/compressed" ''

patched opcode "$(offset_of 'ld\.param')" 'zq.param'
judge "an opcode nobody knows" "$work/opcode" 'zq'
patched cut $((entry + 60)) '\000\000\000\000\000\000\000\000'
judge "PTX cut inside a kernel's head" "$work/cut" ''
patched version "$version" '.vorsion '
judge "PTX without its version" "$work/version" ''
patched garbage $((entry)) '\377\376\001{{{}}};;;@@@%%%%'
judge "garbage instead of a kernel" "$work/garbage" ''

# Cut the PTX at many places: blanks from there to its end leave the sizes of the container right.
for part in 1 2 3 4 5 6 7 8 9; do
    at=$((text + length * part / 11))
    cp "$program" "$work/part$part"
    awk 'BEGIN { for (i = 0; i < 100000; i++) printf " " }' |
        dd of="$work/part$part" bs=1 seek="$at" count=$((text + length - at)) conv=notrunc 2>/dev/null
    judge "PTX cut after $part tenths" "$work/part$part" ''
done

survive() { # label file
    if GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0 sh "$here/../limited.sh" "$device" "$2" >"$work/out" 2>"$work/err"; then
        passed=$((passed + 1))
        echo "pass $1: survived"
    else
        failed=$((failed + 1))
        echo "FAIL $1: status $?"
        head -n 3 "$work/err"
        echo "    run it: $device $2"
    fi
}

# The size of a text decides how it is launched: blanks at its end change that.
for text in "$here"/ptx/*.ptx; do
    for blanks in 1 2 3 4 5; do
        { cat "$text"; printf "%${blanks}s" ""; } >"$work/hostile.ptx"
        survive "$(basename "$text" .ptx), manner $blanks" "$work/hostile.ptx"
    done
done
while read -r what count; do
    awk -v what="$what" -v n="$count" -f "$here/large.awk" >"$work/$what.ptx"
    survive "$count $what" "$work/$what.ptx"
done <<END
else_ifs 260000
nested_ifs 30000
nested_barriers 10000
nested_loops 5000
straight 20000
backwards 20000
backwards_moves 20000
labels 200000
table 50000
registers 40000
arrays 10000
circle 10000
END
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
