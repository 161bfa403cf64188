#!/bin/sh
# honest.sh - other ways of doing a step, which must earn what they deserve: honest.sh FOLDER labN-NAME...
# Each grader/tests/honest/labN/NAME.cu holds one stage, named in its first lines with the points that it must get
# ("// stage: ID", "// points: N"). BACKEND= (nothing) takes the GPU at hand instead of the virtual one.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --one ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

folder=$2/$3 lab=${3%%-*}
file=$root/grader/tests/honest/$lab/${3#*-}.cu
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
stage=$(sed -n 's|^// stage: ||p' "$file") points=$(sed -n 's|^// points: ||p' "$file")
grade "$lab" ${BACKEND---virtual} --stage "$stage" --file "$file"
grep -qE "^ *[0-9]+ +$stage +$points/[0-9]+ +right, clean" "$out"
[ $? = 0 ] && pass "$3" || fail "$3" "it deserves $points points" "$out"
exit 0
