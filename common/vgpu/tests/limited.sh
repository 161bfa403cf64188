#!/bin/sh
# limited.sh - runs a test's program, and ends it if it does not end: limited.sh PROGRAM...
# Nothing is expected to come near these limits on any machine, however slow or busy: ten minutes of computing (status 152),
# or an hour (status 124), for a program that sleeps for good.
ulimit -t 600
exec timeout 3600 "$@"
