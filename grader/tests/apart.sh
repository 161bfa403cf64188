#!/bin/sh
# apart.sh - tiers that a lab says to be apart on another GPU are: apart.sh FOLDER labN-GPU...
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --one ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

folder=$2/$3
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
grade check "${3%%-*}" --gpu "${3#*-}"
expect "$3" 0 "Nothing to mend"
exit 0
