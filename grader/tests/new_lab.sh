#!/bin/sh
# new_lab.sh - a lab is data: the template of handouts/new-lab.md, dropped into a copy of the tree, can be built, listed,
# graded and checked without a change to the grader: new_lab.sh BUILD FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1 copy=$2/tree
passed=0 failed=0

expect() { # what file text
    if tr -s ' \n' '  ' <"$2" | grep -qF -- "$3"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $1: no \"$3\" in"
        sed 's/^/    /' "$2"
    fi
}

rm -rf "$2"
mkdir -p "$copy/build"
(cd "$root" && cp -a Makefile common grader labs solutions "$copy") || exit 1
# What is built already need not be built again; the tests' own programs are not needed.
(cd "$root/$build" && find . -mindepth 1 -maxdepth 1 ! -name test ! -name asan ! -name fuzz ! -name bench -exec cp -a {} "$copy/build" \;)
cp -a "$root/grade" "$copy/grade"
cp -a "$here"/template/labs/* "$copy/labs"
cp -a "$here"/template/solutions/* "$copy/solutions"
cd "$copy" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL

./grade >list 2>&1
expect "a new lab is listed" list "lab99"
./grade lab99 --virtual >skeleton 2>&1
expect "its skeleton earns nothing" skeleton "0 of 100 points"
expect "its own hint is shown" skeleton "TODO 1"
./grade lab99 --virtual --solution >solution 2>&1
expect "its solution earns all points" solution "100 of 100 points"
./grade check lab99 --virtual >check 2>&1
expect "its thresholds are checked" check "Every threshold holds"
make -s VIRTUAL=1 lab99 LAB_SOURCES=solutions >by_hand 2>&1 && build/lab99 unit >>by_hand 2>&1
[ $? = 0 ] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAIL its program runs by hand"; sed 's/^/    /' by_hand; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
