#!/bin/sh
# setup.sh - makes an image of Gradescope that grades @LAB@: the packages that it takes, and the kit, built for the machine's own system.
# Runs once, when the autograder is uploaded. Ends with an error unless the skeleton is graded at the end.
set -eu
top=${AUTOGRADER:-/autograder} # tests have another
cd "$(dirname "$0")"
rm -rf "$top/warpstep"
tar -xzf warpstep.tar.gz -C "$top" --no-same-owner
cd "$top/warpstep"
sh common/packages.sh @LAB@
make -s VIRTUAL=1 grade grade-@LAB@
# From here on nothing of it is built or written again.
./grade --version >installed
chmod -R a+rX,go-w .
./grade @LAB@ --file labs/@LAB@-*/@LAB@.cu --virtual --form gradescope >/dev/null
echo "@LAB@ can be graded"
