#!/bin/sh
# each.sh - a suite of cases that run side by side: each.sh COMMAND CASE...
# COMMAND CASE says "pass CASE" or "FAIL CASE: why", or several such lines. A make of its own shares the cases out: called by
# another make (with `+` in its rule) both have one number of jobs between them, else there is a job per core.
# What one case prints stays together.
command=$1
shift
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT
case ${MAKEFLAGS:-} in *jobserver*) jobs= ;; *) jobs=-j$(nproc 2>/dev/null || echo 2) ;; esac
echo "$# cases"
printf '.PHONY: all %s\nall: %s\n%s: ; @$(COMMAND) $@ || echo "FAIL $@: it ended with status $$?"\n' "$*" "$*" "${*:-none}" |
    "${MAKE:-make}" -s --no-print-directory -Otarget $jobs -f - COMMAND="$command" all | tee "$said"
passed=$(grep -c '^pass ' "$said") failed=$(grep -c '^FAIL ' "$said")
# Those that said nothing have failed as well.
[ $((passed + failed)) -ge $# ] || failed=$(($# - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
