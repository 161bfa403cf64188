#!/bin/sh
# attacks.sh - submissions that try to earn what they have not earned, or to harm those after them: attacks.sh FOLDER [NAME...]
# The files of each grader/tests/attacks/labN, all of them or those named (lab3-timed-copy), are graded in batches of a few, an
# honest file (honest.sh) last in each; batches run side by side, as cases of each.sh.
# A file says in its first lines what it tries, which principle it breaks, and "// at most: N", the points that its honest
# part is worth: it earns no more. What is like the solution but for a trick in one stage is a patch of it, as mistakes are
# (patches.sh): "# stage: ID", and "# at most: N" points of that stage; attacks on different stages share a file. "// long: WHY" takes it from `make test` to `make test-long`. The honest file still earns its
# points, and nothing is left behind. @KIT@ in a file stands for the kit's folder. BACKEND= (nothing) takes the GPU at hand instead of the
# virtual one.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
attacks=$root/grader/tests/attacks
most=20 # files of a batch
patches=attacks
. "$root/grader/tests/patches.sh"

# "lab3.2 timed-copy" for each file: the batch that it is in.
share_batches() { # name...
    [ $# = 0 ] || printf '%s\n' "$@" | sed 's/-/ /' | sort | awk -v most="$most" '{ batch = 1 + int(count[$1] / most); count[$1]++; print $1 "." batch, $2 }'
}

say() { # truth case why
    if [ "$1" = 0 ]; then echo "pass $2"; else echo "FAIL $2: $3"; fi
}

prepare() { # name...: the batch's files
    mkdir -p "$batch/files" "$batch/tmp"
    for name; do
        sed "s|@KIT@|$root|" "$attacks/$lab/$name.cu" >"$batch/files/$name.cu" || exit 2
    done
    cp "$honest" "$batch/files/zz-honest.cu"
}

judge_one() { # name
    most=$(sed -n '1,5s|^// at most: ||p' "$attacks/$lab/$1.cu")
    points=$(sed -n "s/^$1,\([0-9]*\),.*/\1/p" "$rows")
    [ -n "$most" ] && [ -n "$points" ] && [ "$points" -le "$most" ]
    say $? "$lab-$1" "it earned '$points', at most '$most' are its due: ./grade $lab --virtual --file $batch/files/$1.cu"
}

judge_batch() { # case status name...
    case=$1 status=$2
    shift 2
    [ "$status" = 0 ]
    say $? "$case-the-batch" "it ended with status $status: $(tail -n 1 "$batch/log")"
    for name; do
        judge_one "$name"
    done
    due=$(sed -n 's|^// points: ||p' "$honest") virtual=$(sed -n 's|^// virtual: \([0-9]*\),.*|\1|p' "$honest")
    [ -z "$virtual" ] || [ -z "${BACKEND---virtual}" ] || due=$virtual
    grep -q "^zz-honest,$due,.*,graded,," "$rows"
    say $? "$case-an-honest-file-after-all-of-them" "$(grep '^zz-honest' "$rows"), from $honest"
    [ -z "$(ls "$batch/tmp")" ]
    say $? "$case-nothing-is-left-behind" "$(ls "$batch/tmp")"
}

# The solution with the patches of some stages: each earns what its honest part is worth.
judge_patches() { # case...
    mkdir -p "$work"
    stages=$(for case; do stage_of "$case"; done | paste -sd, -)
    trouble=$(apply_patches "$@")
    if [ -z "$trouble" ]; then
        "$root/grade" "$lab" ${BACKEND---virtual} --stage "$stages" --json --file "$work/$lab.cu" >"$work/report" 2>&1 </dev/null
    fi
    for case; do
        most=$(sed -n '/^---/q; s/^# at most: //p' "$(patch_of "$case")")
        points=$(sed -n "s/^{\"id\":\"$(stage_of "$case")\",\"title\":\"[^\"]*\",\"points\":\([0-9]*\),.*/\1/p" "$work/report" 2>/dev/null)
        [ -z "$trouble" ] && [ -n "$most" ] && [ -n "$points" ] && [ "$points" -le "$most" ]
        say $? "$case" "${trouble:-it earned '$points', at most '$most' are its due: ./grade $lab --virtual --stage $(stage_of "$case") --file $work/$lab.cu}"
    done
}

if [ "$1" = --one ] && grep -q "^$3 " "$2/patched"; then
    work=$2/$3 lab=${3%%.*}
    judge_patches $(sed -n "s/^$3 \([^ ]*\) .*/\1/p" "$2/patched")
    exit 0
fi
if [ "$1" = --one ]; then
    batch=$2/$3 lab=${3%.*} rows=$2/$3/results/results.csv
    honest=$(grep -L '^// long: ' "$root/grader/tests/honest/$lab"/*.cu | head -n 1)
    set -- "$3" $(sed -n "s/^$3 //p" "$2/batches")
    case=$1
    shift
    prepare "$@"
    TMPDIR=$batch/tmp "$root/grade" batch "$lab" "$batch/files" ${BACKEND---virtual} --out "$batch/results" >"$batch/log" 2>&1 </dev/null
    judge_batch "$case" $? "$@"
    exit 0
fi

folder=$1
shift
[ $# -gt 0 ] || set -- $(cd "$attacks" && ls lab*/*.cu lab*/*.patch | sed 's|/|-|; s|\.[a-z]*$||')
rm -rf "$folder"
mkdir -p "$folder"
whole= patched=
for name; do
    if [ -f "$(patch_of "$name")" ]; then patched="$patched $name"; else whole="$whole $name"; fi
done
share_batches $whole >"$folder/batches" || exit 2
share_out $patched | sed 's/[.]/.patched-/' >"$folder/patched" || exit 2
exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" $(cut -d' ' -f1 "$folder/batches" "$folder/patched" | sort -u)
