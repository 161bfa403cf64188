#!/bin/sh
# progress.sh - runs make over suites and shows how far they are: progress.sh FOLDER MAKE...; its exit status is make's.
# Lines of suites that have ended stand, each with its result. On a terminal a last line, rewritten every second, names those
# that run, and what is being compiled. Lines of compilers that have nothing to say are not shown otherwise; V=1 shows them.
here=$(dirname "$0")
folder=$1
shift
width=0
[ ! -t 1 ] || width=$(stty size 2>/dev/null </dev/tty | cut -d' ' -f2)
[ -z "$width" ] && width=80

wipe() { [ "$width" = 0 ] || printf '\r\033[K'; }
show() { wipe && printf '%s\n' "$line"; }
draw() {
    [ "$width" != 0 ] || return 0
    wipe
    printf "%.$((width - 1))s" "$(sh "$here/status.sh" "$folder")$built"
}

{
    while sleep 1; do echo tick; done &
    ticks=$!
    "$@" 2>&1
    echo $? >"$folder/progress"
    kill "$ticks"
} | {
    built=
    while IFS= read -r line; do
        case $line in
        tick) draw && built= ;;
        "AR  "* | "CC  "* | "LINK  "* | "NVCC  "*) [ -n "${V:-}" ] && show || built=$line ;;
        *) show ;;
        esac
    done
    wipe
}
exit "$(cat "$folder/progress")"
