#!/bin/sh
# pack.sh - an autograder for Gradescope: pack.sh BUILD OUT_DIR LAB. OUT_DIR gets LAB.zip: the student's kit as source, setup.sh and
# run_autograder. It is built where it runs: a program made here would want this system's libraries. No solution is in it.
set -eu
cd "$(dirname "$0")/../../.."
build=$1 out=$2 lab=$3
set -- labs/"$lab"-*/"$lab".cu
[ -e "$1" ] || { echo "gradescope: LAB=$lab is no lab; say, make gradescope LAB=lab3" >&2; exit 1; }
command -v zip >/dev/null || { echo "gradescope: please install zip" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh grader/kit/pack.sh "$build" "$work/kit" >/dev/null
mkdir -p "$out" "$work/zip"
cp "$work/kit/warpstep.tar.gz" "$work/zip/"
for name in setup.sh run_autograder; do
    sed "s/@LAB@/$lab/g" "grader/kit/gradescope/$name" >"$work/zip/$name"
    chmod 755 "$work/zip/$name"
done
touch -t 202001010000 "$work"/zip/*
out=$(cd "$out" && pwd)
rm -f "$out/$lab.zip"
(cd "$work/zip" && zip -qX "$out/$lab.zip" setup.sh run_autograder warpstep.tar.gz)
echo "$out/$lab.zip: $(($(wc -c <"$out/$lab.zip") / 1024)) KB; upload it as the autograder of a programming assignment with $lab.cu"
