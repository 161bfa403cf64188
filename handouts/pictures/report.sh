#!/bin/sh
# report.sh - the report that student.md quotes and grade.svg shows: report.sh [terminal]
# Of a lab 3 on its way, on the virtual GPU: stage 2 is solved, the same kernel without padding stands in for stage 3, the rest is
# still the skeleton's. "terminal": as a picture. What keeps submissions apart from the machine is another line on every machine,
# and left out.
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
{
    sed '/^\/\* ---- stage 4/,$d; s/\[TILE + 1\]/[TILE]/' solutions/lab3-*/lab3.cu
    sed -n '/^\/\* ---- stage 4/,$p' labs/lab3-*/lab3.cu
} >"$folder/lab3.cu"
report="./grade lab3 --virtual --file $folder/lab3.cu"
FILTER="sed '/ sandbox: /d'"
export FILTER
if [ "$1" = terminal ]; then
    sh "$(dirname "$0")/terminal.sh" './grade lab3' "$report"
else
    $report | sh -c "$FILTER"
fi
