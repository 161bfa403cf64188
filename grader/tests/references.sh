#!/bin/sh
# references.sh - the page of every timed stage of a solution: what it counts is what labs/LAB-*/reference.csv says that the solution
# counts, number by number: references.sh FOLDER LAB...
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --one ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

folder=$2/$3 lab=$3
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"

counters() { # key: of the page's JSON, the last object of that name
    grep -o "\"$1\":{[^{}]*}" page.html | tail -n 1 | sed 's/^[^{]*{//; s/}$//' | tr ',' '\n' | sort
}
table=$(echo "$root/labs/$lab"-*/reference.csv)
for id in $(head -n 1 "$table" | cut -d , -f 2- | tr ',' ' '); do
    rm -f page.html
    grade explain "$lab.$id" --solution --virtual --html page.html
    expect "$lab $id" 0
    counters counters >own
    counters reference >recorded
    if [ -s own ] && diff own recorded >different; then
        pass "$lab $id"
    else
        fail "$lab $id" "the solution counts otherwise; if that is meant: make references LABS=$lab" different
    fi
done
exit 0
