#!/bin/sh
# progress.sh - runs make over suites and shows how far they are: progress.sh FOLDER MAKE...; its exit status is make's.
# Lines of suites that have ended stand, each with its result. On a terminal a last line, rewritten every second, names those
# that run, or what is being compiled. Lines of compilers that have nothing to say are not shown; V=1 shows them.
here=$(dirname "$0")
folder=$1
shift
is_terminal=0 width=80
if [ -t 1 ]; then
    is_terminal=1
    width=$(stty size 2>/dev/null </dev/tty | cut -d' ' -f2)
fi
{
    while sleep 1; do echo tick; done &
    ticks=$!
    "$@" 2>&1
    echo $? >"$folder/progress"
    kill "$ticks"
} | awk -v all="${V:-}" -v is_terminal=$is_terminal -v width="${width:-80}" -v status="sh $here/status.sh $folder" '
function wipe() { if (is_terminal) printf "\r\033[K" }
function draw(   line) {
    if (!is_terminal) return
    status | getline line
    close(status)
    if (built != "") line = line built
    wipe()
    printf "%s", substr(line, 1, width - 1)
    fflush()
}
$0 == "tick" { draw(); built = ""; next }
/^(AR|CC|LINK|NVCC)  / && all == "" { built = $0; next }
{ wipe(); print; fflush() }
END { wipe() }'
exit "$(cat "$folder/progress")"
