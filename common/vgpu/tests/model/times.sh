#!/bin/sh
# times.sh - modelled times are the same wherever they are computed: times.sh PROGRAM OTHER FOLDER
# Both are model.c; another compiler, without optimisation, made OTHER and its library. Two runs, and both programs, must
# agree to the last bit. Other machines are compared through times.txt, to one part in a million: far more than arithmetic may
# differ between them, far less than any change of the model. That file says nothing about right or wrong; accuracy is held by
# the tables of an H200 (bench/, tests/behaviour).
here=$(dirname "$0")
program=$1 other=$2 folder=$3
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

list_times() { # program: profile, execution, case, exact time, time in microseconds
    for gpu in h200 gtx1080; do
        list_some "$1" all copy4-small saxpy-small transpose-small reduce-small matmul-small fma32-small fma64-small \
            banks-small divide-small divergent-small histogram-small chase
        list_some "$1" sample transpose-8192 reduce-64M matmul-4096
    done
}

list_some() { # program execution case...
    from=$1 mode=$2
    shift 2
    for case; do
        echo "$gpu $mode $(VGPU_GPU=$gpu VGPU_EXECUTE=$mode "$from" "$here/kernels.ptx" "$case" 2>/dev/null)"
    done
}

say() { # truth what file-of-what-differs
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "pass $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2:"
        head -n 12 "$3"
    fi
}

list_times "$program" >"$work/first"
list_times "$program" >"$work/second"
list_times "$other" >"$work/other"
diff "$work/first" "$work/second" >"$work/runs"
say $? "two runs have the same $(wc -l <"$work/first") times to the last bit" "$work/runs"
diff "$work/first" "$work/other" >"$work/compilers"
say $? "two compilers have the same times to the last bit" "$work/compilers"
awk '
    /^#/ { next }
    FILENAME == ARGV[1] { known[$1 " " $2 " " $3] = $4; count++; next }
    { was = known[$1 " " $2 " " $3]; off = was > 0 ? $5 / was - 1 : 1
      if (off < 1e-6 && off > -1e-6) same++
      else printf "%s %s %s: %s us here, %s in times.txt (%+.4f %%)\n", $1, $2, $3, $5, was, 100 * off }
    END { exit !count || same != count }' "$here/times.txt" "$work/first" >"$work/machines"
status=$?
echo "    if the model or a profile was changed on purpose: cp $folder/times.txt $here/times.txt" >>"$work/machines"
say $status "they are those of times.txt to one part in a million" "$work/machines"
{
    grep '^#' "$here/times.txt"
    awk '{ print $1, $2, $3, $5 }' "$work/first"
} >"$folder/times.txt"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
