#!/bin/sh
# each.sh - a suite of cases that run side by side: each.sh COMMAND CASE...
# COMMAND CASE says "pass CASE" or "FAIL CASE: why", or several such lines. A make of its own shares the cases out: called by
# another make (with `+` in its rule) both have one number of jobs between them, else there is a job per core.
# What one case prints stays together.
command=$1
shift
case ${MAKEFLAGS:-} in *jobserver*) jobs= ;; *) jobs=-j$(nproc 2>/dev/null || echo 2) ;; esac
echo "$# cases"
printf '.PHONY: all %s\nall: %s\n%s: ; @$(COMMAND) $@ || echo "FAIL $@: it ended with status $$?"\n' "$*" "$*" "${*:-none}" |
    "${MAKE:-make}" -s --no-print-directory -Otarget $jobs -f - COMMAND="$command" all | awk -v cases=$# '
        /^pass / { passed++ }
        /^FAIL / { failed++ }
        { print; fflush() }
        END {
            if (passed + failed < cases) failed += cases - passed - failed # those that said nothing
            printf "%d passed, %d failed\n", passed, failed
            exit failed != 0 || !passed
        }'
