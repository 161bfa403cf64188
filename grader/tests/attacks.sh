#!/bin/sh
# attacks.sh - submissions that try to earn what they have not earned, or to harm those after them: attacks.sh FOLDER
# All of grader/tests/attacks/lab3 is graded as one batch, the solution last. A file earns nothing, or at most what its
# line "// at most: N" says that its honest part is worth; the solution still earns all, and nothing is left behind.
# @KIT@ in a file stands for the kit's folder.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
passed=0 failed=0
rm -rf "$folder"
mkdir -p "$folder/batch" "$folder/tmp"
for file in "$root"/grader/tests/attacks/lab3/*.cu; do
    sed "s|@KIT@|$root|" "$file" >"$folder/batch/$(basename "$file")"
done
cp "$root"/solutions/lab3-*/lab3.cu "$folder/batch/zz-honest.cu"

say() { # truth text
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi
}

TMPDIR=$folder/tmp "$root/grade" batch lab3 "$folder/batch" --virtual --out "$folder/results" >"$folder/log" 2>&1 </dev/null
say $? "the batch: $(tail -n 1 "$folder/log")"
for file in "$root"/grader/tests/attacks/lab3/*.cu; do
    name=$(basename "$file" .cu)
    most=$(sed -n 's|^// at most: ||p' "$file")
    points=$(sed -n "s/^$name,\([0-9]*\),.*/\1/p" "$folder/results/results.csv")
    [ -n "$points" ] && [ "$points" -le "${most:-0}" ]
    say $? "$name earned '$points', at most ${most:-0} are its due"
done
grep -q '^zz-honest,100,100,10,.*,graded,$' "$folder/results/results.csv"
say $? "the solution after all of them: $(grep '^zz-honest' "$folder/results/results.csv")"
[ -z "$(ls "$folder/tmp")" ]
say $? "left behind: $(ls "$folder/tmp")"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
