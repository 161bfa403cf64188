#!/bin/sh
# golden.sh - modelled times to the last bit: golden.sh check|write PROGRAM
# PROGRAM is model.c. golden.txt holds what it gives under two profiles; another machine or compiler must give the same.
# The file says nothing about right or wrong: a change of the model or of a profile changes it.
here=$(dirname "$0")
what=$1 program=$2
golden=$here/golden.txt

whole="copy4-small saxpy-small transpose-small reduce-small matmul-small fma32-small fma64-small banks-small
divide-small divergent-small histogram-small chase"
sampled="transpose-8192 reduce-64M matmul-4096"

list_times() { # profile execution cases
    gpu=$1 mode=$2
    shift 2
    for case in "$@"; do
        line=$(VGPU_GPU=$gpu VGPU_EXECUTE=$mode "$program" "$here/kernels.ptx" "$case" 2>/dev/null)
        echo "$gpu $mode $(echo "$line" | cut -d' ' -f1,2)"
    done
}

now=$(mktemp) || exit 2
trap 'rm -f "$now"' EXIT
{
    echo "# Modelled times in microseconds, exact (C's %a): profile, execution, case, time. Made by make model-golden."
    for gpu in h200 gtx1080; do
        list_times $gpu all $whole
        list_times $gpu sample $sampled
    done
} >"$now"
case $what in
write) cp "$now" "$golden" && chmod 644 "$golden" && echo "golden.txt has $(grep -vc '^#' "$golden") times" ;;
check)
    if cmp -s "$golden" "$now"; then
        echo "pass $(grep -vc '^#' "$golden") times are the same to the last bit"
    else
        echo "FAIL times to the last bit: $(diff "$golden" "$now" | grep -c '^>') differ from tests/model/golden.txt." \
             "If the model or a profile was changed on purpose, make model-golden writes them anew;" \
             "if not, this machine or compiler computes differently."
        diff "$golden" "$now" | head -n 8
        exit 1
    fi ;;
*) echo "usage: golden.sh check|write PROGRAM" >&2; exit 2 ;;
esac
