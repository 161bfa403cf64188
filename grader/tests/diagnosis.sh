#!/bin/sh
# diagnosis.sh - typical errors of compilers, and what a student is told of them: diagnosis.sh TEST_PROGRAM NVCC CASE...
# Each grader/tests/diagnosed/CASE.cu does not compile. Its first lines name what the arrow of the first error says
# ("// says: TEXT"); the report shows the line as it stands in the file ("// shows: TEXT", any number), and nothing of a header.
set -u
here=$(cd "$(dirname "$0")" && pwd)

judge() { # case
    cd "$here/diagnosed" || exit
    told=$("$nvcc" -std=c++17 -arch=sm_75 -cubin -o /dev/null "$1.cu" 2>&1 | "$program" "$1.cu")
    arrow=$(printf '%s\n' "$told" | sed -n 's/^-> //p' | head -n 1)
    number=$(printf '%s\n' "$told" | sed -n "1s/^$1.cu[(:]\([0-9]*\).*/\1/p")
    line=$(sed -n "${number:-0}p" "$1.cu" 2>/dev/null | sed 's/^ *//')
    sed -n 's|^// says: ||p' "$1.cu" | while IFS= read -r text; do
        case $arrow in *"$text"*) ;; *) echo "the arrow does not say: $text" ;; esac
    done
    sed -n 's|^// shows: ||p' "$1.cu" | while IFS= read -r text; do
        case $told in *"$text"*) ;; *) echo "it does not show: $text" ;; esac
    done
    case $told in *"    $line"* | ptxas\ *) ;; *) echo "the line is not shown as it is written: $line" ;; esac
    case $told in */include/* | *__attribute__* | *'note #'[!3]* | *Remark:*) echo "there is more than the file's own" ;; esac
    [ "$(printf '%s\n' "$told" | grep -c ': .*error')" -le 3 ] || echo "there are more than three errors"
}

if [ "$1" = --one ]; then
    program=$2 nvcc=$3
    wrong=$(judge "$4")
    if [ -z "$wrong" ]; then
        echo "pass $4"
    else
        echo "FAIL $4: $wrong"
        cd "$here/diagnosed" && "$nvcc" -std=c++17 -arch=sm_75 -cubin -o /dev/null "$4.cu" 2>&1 | "$program" "$4.cu" | sed 's/^/    | /'
    fi
    exit 0
fi
program=$1 nvcc=$2
shift 2
exec sh "$here/../../common/vgpu/tests/each.sh" "sh $0 --one $program $nvcc" "$@"
