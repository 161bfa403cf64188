#!/bin/sh
# honest.sh - other ways of doing a step, which must earn what they deserve: honest.sh FOLDER labN-NAME...
# Each grader/tests/honest/labN/NAME.cu holds one stage, named in its first lines with the points that it must get
# ("// stage: ID", "// points: N"; without the latter it must get all points, in stages ID,ID). NAME.patch is the same for what shares most with the solution: stages ("# stage: ID,ID") must get
# all of their points. "// virtual: N, WHY": where the virtual GPU gives other points. BACKEND= (nothing) takes the GPU at hand instead of the virtual one.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --one ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

folder=$2/$3 lab=${3%%-*}
file=$root/grader/tests/honest/$lab/${3#*-}.cu patches=honest
. "$root/grader/tests/patches.sh"
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
if [ -f "$file" ]; then
    stages=$(sed -n 's|^// stage: ||p' "$file") points=$(sed -n 's|^// points: ||p' "$file")
    virtual=$(sed -n 's|^// virtual: \([0-9]*\),.*|\1|p' "$file")
    [ -z "$virtual" ] || [ -z "${BACKEND---virtual}" ] || points=$virtual
else
    work=$folder stages=$(stage_of "$3") points= file=$folder/$lab.cu
    trouble=$(apply_patches "$3")
    [ -z "$trouble" ] || { fail "$3" "$trouble"; exit 0; }
fi
grade "$lab" ${BACKEND---virtual} --stage "$stages" --file "$file"
for stage in $(echo "$stages" | tr , ' '); do
    if [ -n "$points" ]; then
        grep -qE "^ *[0-9]+ +$stage +$points/[0-9]+ +right, clean" "$out"
    else
        grep -qE "^ *[0-9]+ +$stage +([0-9]+)/\1 +right" "$out"
    fi || { fail "$3" "$stage deserves ${points:-all} points" "$out"; exit 0; }
done
pass "$3"
exit 0
