#!/bin/sh
# run.sh - what a terminal shows while a kernel takes long: run.sh PROGRAM FOLDER
# PROGRAM is diagnostics/bugs/limit_one_thread, with a budget that lets it go on for long. It is stopped once the line was seen, so that
# nothing depends on how fast the machine is.
program=$(realpath "$1") folder=$2
mkdir -p "$folder" && cd "$folder" || exit 2
passed=0 failed=0
pass() { echo "pass $1" && passed=$((passed + 1)); }
fail() { echo "FAIL $1: $2" && failed=$((failed + 1)); }

command -v script >/dev/null || { echo "no script(1) here"; echo "0 passed, 0 failed"; exit 0; }

rm -f seen pid
VGPU_THREADS=1 VGPU_BUDGET=1000000000000 TERM=xterm \
    script -qfec "stty cols 60; echo \$\$ >pid; exec '$program'" seen </dev/null >/dev/null 2>&1 &
terminal=$!
while ! grep -q 'blocks' seen 2>/dev/null && kill -0 $terminal 2>/dev/null; do sleep 0.2; done
kill -9 "$(cat pid)"
wait $terminal 2>/dev/null
line=$(tr '\r' '\n' <seen | grep -a 'vgpu: kernel' | head -1)
case $line in *"vgpu: kernel sum: 0 of 1 blocks, "*"% of a"*) pass a_long_kernel_shows_how_far_it_is ;;
*) fail a_long_kernel_shows_how_far_it_is "$line" ;; esac
[ "$(tr '\r' '\n' <seen | grep -a 'vgpu: kernel' | tr -d '\033' | awk '{ if (length($0) > 62) n++ } END { print n + 0 }')" = 0 ] &&
    pass the_line_fits_the_terminal || fail the_line_fits_the_terminal "$line"

# Stopped by its budget some seconds later on most machines; whenever that is, a pipe has nothing but what it always has.
VGPU_THREADS=1 VGPU_BUDGET=5000000 TERM=xterm "$program" >piped 2>&1
grep -aq 'blocks, ' piped && fail a_pipe_shows_nothing "$(cat piped)" || pass a_pipe_shows_nothing
echo "$passed passed, $failed failed"
[ $failed = 0 ]
