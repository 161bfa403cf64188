#!/bin/sh
# attacks.sh - submissions that try to earn what they have not earned, or to harm those after them: attacks.sh FOLDER [NAME...]
# Each grader/tests/attacks/labN is graded as one batch, all of it or the files named (lab3-timed-copy), the solution last.
# A file says in its first lines what it tries, which principle it breaks, and "// at most: N", the points that its honest
# part is worth: it earns no more. The solution still earns all, and nothing is left behind. @KIT@ in a file stands for the
# kit's folder. BACKEND= (nothing) takes the GPU at hand instead of the virtual one.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
attacks=$root/grader/tests/attacks
folder=$1
shift
[ $# -gt 0 ] || set -- $(cd "$attacks" && ls lab*/*.cu | sed 's|/|-|; s|\.cu$||')
passed=0 failed=0

say() { # truth case why
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "pass $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2: $3"
    fi
}

prepare() { # lab name...: the batch's folder
    lab=$1
    shift
    mkdir -p "$folder/$lab/batch" "$folder/$lab/tmp"
    for name; do
        sed "s|@KIT@|$root|" "$attacks/$lab/$name.cu" >"$folder/$lab/batch/$name.cu" || exit 2
    done
    cp "$root"/solutions/"$lab"-*/"$lab".cu "$folder/$lab/batch/zz-honest.cu"
}

run() { # lab
    {
        TMPDIR=$folder/$1/tmp "$root/grade" batch "$1" "$folder/$1/batch" ${BACKEND---virtual} --out "$folder/$1/results" 2>&1 </dev/null
        echo $? >"$folder/$1/status"
    } | tee "$folder/$1/log" | sed -u "s/^/done $1: /"
}

judge_one() { # lab name
    most=$(sed -n '1,4s|^// at most: ||p' "$attacks/$1/$2.cu")
    points=$(sed -n "s/^$2,\([0-9]*\),.*/\1/p" "$folder/$1/results/results.csv")
    [ -n "$most" ] && [ -n "$points" ] && [ "$points" -le "$most" ]
    say $? "$1-$2" "it earned '$points', at most '$most' are its due: ./grade $1 --virtual --file $folder/$1/batch/$2.cu"
}

judge_batch() { # lab name...
    lab=$1 rows=$folder/$1/results/results.csv
    shift
    [ "$(cat "$folder/$lab/status")" = 0 ]
    say $? "$lab-the-batch" "it ended with status $(cat "$folder/$lab/status"): $(tail -n 1 "$folder/$lab/log")"
    for name; do
        judge_one "$lab" "$name"
    done
    # All points of all that count: the first number after the name is also the second.
    grep -q '^zz-honest,\([0-9]*\),\1,.*,graded,,' "$rows"
    say $? "$lab-the-solution-after-all-of-them" "$(grep '^zz-honest' "$rows")"
    [ -z "$(ls "$folder/$lab/tmp")" ]
    say $? "$lab-nothing-is-left-behind" "$(ls "$folder/$lab/tmp")"
}

rm -rf "$folder"
labs=$(printf '%s\n' "$@" | sed 's/-.*//' | sort -u)
echo "$(($# + 3 * $(echo "$labs" | wc -l))) cases"
for lab in $labs; do
    names=$(printf '%s\n' "$@" | sed -n "s/^$lab-//p")
    prepare "$lab" $names
    run "$lab"
    judge_batch "$lab" $names
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
