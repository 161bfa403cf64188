#!/bin/sh
# attacks.sh - submissions that try to earn what they have not earned, or to harm those after them: attacks.sh FOLDER [NAME...]
# All of grader/tests/attacks/lab3, or those named, are graded as one batch, the solution last. A file earns nothing, or at
# most what its line "// at most: N" says that its honest part is worth; the solution still earns all, and nothing is left
# behind. @KIT@ in a file stands for the kit's folder.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
attacks=$root/grader/tests/attacks/lab3
folder=$1
shift
[ $# -gt 0 ] || set -- $(ls "$attacks" | sed -n 's/\.cu$//p')
passed=0 failed=0
rm -rf "$folder"
mkdir -p "$folder/batch" "$folder/tmp"
for name; do
    sed "s|@KIT@|$root|" "$attacks/$name.cu" >"$folder/batch/$name.cu" || { echo "0 cases"; echo "0 passed, 0 failed"; exit 1; }
done
cp "$root"/solutions/lab3-*/lab3.cu "$folder/batch/zz-honest.cu"

say() { # truth case why
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "pass $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2: $3"
    fi
}

echo "$(($# + 3)) cases"
{
    TMPDIR=$folder/tmp "$root/grade" batch lab3 "$folder/batch" --virtual --out "$folder/results" 2>&1 </dev/null
    echo $? >"$folder/status"
} | tee "$folder/log" | sed -u 's/^/done /'
[ "$(cat "$folder/status")" = 0 ]
say $? the-batch "it ended with status $(cat "$folder/status"): $(tail -n 1 "$folder/log")"
for name; do
    most=$(sed -n 's|^// at most: ||p' "$attacks/$name.cu")
    points=$(sed -n "s/^$name,\([0-9]*\),.*/\1/p" "$folder/results/results.csv")
    [ -n "$points" ] && [ "$points" -le "${most:-0}" ]
    say $? "$name" "it earned '$points', at most ${most:-0} are its due: ./grade lab3 --virtual --file $folder/batch/$name.cu"
done
grep -q '^zz-honest,100,100,10,.*,graded,$' "$folder/results/results.csv"
say $? the-solution-after-all-of-them "$(grep '^zz-honest' "$folder/results/results.csv")"
[ -z "$(ls "$folder/tmp")" ]
say $? nothing-is-left-behind "$(ls "$folder/tmp")"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
