#!/bin/sh
# report.sh - the report that student.md quotes and grade.svg shows: report.sh [terminal]
# Of half_done.cu, on the virtual GPU, as a student's lab3.cu. "terminal": as a picture. What keeps submissions apart from the
# machine is another line on every machine, and left out.
report="./grade lab3 --virtual --file handouts/pictures/half_done.cu"
FILTER="sed '/ sandbox: /d; s/half_done[.]cu/lab3.cu/'"
export FILTER
if [ "$1" = terminal ]; then
    sh "$(dirname "$0")/terminal.sh" './grade lab3' "$report"
else
    $report | sh -c "$FILTER"
fi
