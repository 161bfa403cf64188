#!/bin/sh
# class.sh - a generated class: every step, mistakes, honest files, broken builds, hangs, crashes, archives and names of every kind, graded
# in one batch; every status and point is as expected, and time and memory stay within their bounds: class.sh FOLDER LAB COUNT [JOBS]
# What is expected is known without the grader: solutions have all points, skeletons none, honest files what their first lines say,
# mistakes what an H200 gave for their stage (h200-mistakes.md) and all points for the others.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 lab=$2 count=$3 jobs=${4:-2}
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
. "$root/grader/tests/patches.sh"
solution=$(echo "$root/solutions/$lab"-*/"$lab.cu")
skeleton=$(echo "$root/labs/$lab"-*/"$lab.cu")
bonus=$("$root/build/$lab" --list | awk '/bonus/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/ && $(i + 1) ~ /^points/) sum += $i } END { print sum + 0 }')

# ---- what a submission may be: each kind leaves text.cu, and says status, points and bonus ----

clean_mistakes() { # those that a GPU agrees about, and that spoil no other stage
    for patch in "$root/grader/tests/mistakes/$lab"/*.patch; do
        name=$lab-$(basename "$patch" .patch)
        grep -q '^# undefined: ' "$patch" || grep -q "^$name " "$root/grader/tests/mistakes/shared.txt" || echo "$name"
    done
}
mistakes=$(clean_mistakes)
pick() { # number word...: one of the words, in turn
    number=$1
    shift
    shift $(((number - 1) % $#))
    echo "$1"
}
stage_points() { # stage
    "$root/build/$lab" --list | awk -v id="$1" '$2 == id { for (i = 1; i <= NF; i++) if ($(i + 1) ~ /^points/) print $i }'
}
a_solution() { cp "$solution" text.cu; echo "graded 100 $bonus"; }
a_skeleton() { cp "$skeleton" text.cu; echo "graded 0 0"; }
a_mistake() {
    case=$(pick "$1" $mistakes)
    work=$folder/wrong
    mkdir -p "$work"
    apply_patches "$case" >&2
    cp "$work/$lab.cu" text.cu
    is=$(awk -F ' *[|] *' -v mistake="$lab ${case#*-}" '$2 == mistake { split($4, part, "+"); print part[1] + part[2] + part[3] + part[4] }' \
        "$root/grader/tests/h200-mistakes.md")
    stage=$(stage_of "$case")
    most=$(stage_points "$stage")
    if "$root/build/$lab" --list | awk -v id="$stage" '$2 == id' | grep -q bonus; then
        echo "graded 100 $((bonus - most + is))"
    else
        echo "graded $((100 - most + is)) $bonus"
    fi
}
# Those that have one stage and no more.
honest=$(for file in "$root/grader/tests/honest/$lab"/*.cu; do
    [ "$(grep -cE '^(extern "C" )?void [a-z_0-9]+\(' "$file")" = 1 ] && echo "$file"
done)
an_honest_file() {
    file=$(pick "$1" $honest)
    cp "$file" text.cu
    points=$(sed -n 's,^// points: ,,p' "$file" | head -n 1)
    stage=$(sed -n 's,^// stage: ,,p' "$file" | head -n 1)
    if "$root/build/$lab" --list | awk -v id="$stage" '$2 == id' | grep -q bonus; then echo "graded 0 $points"; else echo "graded $points 0"; fi
}
a_broken_build() { { cat "$solution"; echo "int broken = nothing;"; } >text.cu; echo "build failed 0 0"; }
first_entry() { sed -n 's/^void \([a-z_0-9]*\)(\(.*\))$/\1(\2)/p' "$skeleton" | sed -n 2p; }
host_code() { # statement: every entry point of the skeleton does this and no more
    { echo "#include \"$lab.h\""; echo "#include <stdlib.h>"; echo "#include <unistd.h>"
      sed -n 's/^\(void [a-z_0-9]*(.*)\)$/\1/p' "$skeleton" | grep -v static | sed "s/\$/ { $1 }/"; } >text.cu
}
a_hang() { host_code 'for (;;) pause();'; echo "timed out 0 0"; }
a_crash() { host_code 'abort();'; echo "crashed 0 0"; }
nothing() { : >text.cu; echo "refused 0 0"; }

# ---- how it may lie in the folder: each form takes text.cu ----

folder_form() { mkdir "class/$1" && mv text.cu "class/$1/$lab.cu"; }
file_form() { mv text.cu "class/$1.cu"; }
capital_form() { mkdir "class/$1" && mv text.cu "class/$1/L${lab#l}.cu"; }
numbered_form() { mkdir "class/$1" && mv text.cu "class/$1/$lab (1).cu"; }
nested_form() { mkdir -p "class/$1/src/deep" && mv text.cu "class/$1/src/deep/$lab.cu"; }
moodle_form() { mkdir "class/$1_4${2}_assignsubmission_file_" && mv text.cu "class/$1_4${2}_assignsubmission_file_/$lab.cu"; }
canvas_form() { mv text.cu "class/$1_1${2}_67${2}_$lab.cu"; }
packed() { # name: as a folder beside other files, ready to be packed
    rm -rf packed && mkdir packed && mv text.cu "packed/$lab.cu" && echo notes >packed/notes.txt
}
zip_form() { packed "$1"; (cd packed && zip -qr "../class/$1.zip" .); }
tar_form() { packed "$1"; tar -C packed -cf "class/$1.tar" .; }
gz_form() { packed "$1"; tar -C packed -czf "class/$1.tar.gz" .; }
bz2_form() { packed "$1"; tar -C packed -cjf "class/$1.tar.bz2" .; }
xz_form() { packed "$1"; tar -C packed -cJf "class/$1.tar.xz" .; }
tgz_form() { packed "$1"; tar -C packed -czf "class/$1.tgz" .; }
forms="folder file capital numbered nested moodle canvas zip tar gz bz2 xz tgz"
empty_form() { rm text.cu; mkdir "class/$1"; }
two_form() { rm text.cu; mkdir "class/$1"; cp "$solution" "class/$1/${lab}_a.cu"; cp "$solution" "class/$1/${lab}_b.cu"; }
link_form() { rm text.cu; mkdir "class/$1"; ln -s /etc/passwd "class/$1/$lab.cu"; }
damaged_form() { rm text.cu; head -c 3000 /dev/urandom >"class/$1.zip"; }
refused_forms="empty two link damaged"

long=$(printf '%0180d' 0 | tr 0 x)
name_of() { # number: a student; every twentieth is odd
    case $(($1 % 20)) in
    3) echo "Ünal Çağlar $1" ;;
    7) echo "O'Brien, Séan $1" ;;
    11) echo "=cmd $1" ;;
    13) echo "$long$1" ;;
    17) echo "-rf $1" ;;
    19) echo "李小龍 $1" ;;
    *) echo "student$1" ;;
    esac
}

# One of forty hangs and one crashes; the others take turns.
kind_of() { # number
    case $(($1 % 40)) in
    9) echo a_hang ;;
    19) echo a_crash ;;
    4 | 24) echo a_broken_build ;;
    14 | 34) echo nothing ;;
    2 | 22) echo a_skeleton ;;
    0 | 5 | 10 | 15 | 20 | 25 | 30 | 35) echo a_solution ;;
    1 | 11 | 21 | 31) echo an_honest_file ;;
    *) echo a_mistake ;;
    esac
}

mkdir class
: >expected
for i in $(seq "$count"); do
    kind=$(kind_of "$i") name=$(name_of "$i")
    what=$($kind "$i")
    if [ "$kind" = nothing ]; then form=$(pick "$i" $refused_forms); else
        form=$(pick "$i" $forms)
        echo "// submission $i" >>text.cu
    fi
    ${form}_form "$name" "$i"
    printf '%s\t%s\t%s\n' "$name" "$what" "$kind, $form" >>expected
done

# ---- the batch, with its memory watched ----

# Of the batch and all that it has begun, in MB.
memory_of() { # pid
    for process in $(ps -eo pid=,ppid= | awk -v top="$1" '{ parent[$1] = $2 }
        END { for (p in parent) { for (q = p; q && q != top; q = parent[q]) ; if (q == top) print p } }'); do
        cat "/proc/$process/smaps_rollup" 2>/dev/null # shared pages count once
    done | awk '/^Pss:/ { sum += $2 } END { printf "%d\n", sum / 1024 }'
}
begun=$(date +%s%N)
"$root/grade" batch "$lab" class --virtual --out results -j "$jobs" >batch.log 2>&1 </dev/null &
pid=$!
most=0
while kill -0 $pid 2>/dev/null; do
    now=$(memory_of $pid)
    [ "$now" -le "$most" ] || most=$now
    sleep 0.3
done
wait $pid
status=$?
took=$((($(date +%s%N) - begun) / 1000000))
cp batch.log "$out"
expect "a class of $count" 0 "$count submissions, 0 errors of the kit"

# ---- every status and point ----

sqlite3 -separator "$(printf '\t')" results/results.db \
    "SELECT attempt.student, status || ' ' || points || ' ' || bonus FROM attempt JOIN submission ON submission.attempt = attempt.number" >found
while IFS="$(printf '\t')" read -r name what how; do
    is=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' found)
    if [ "$is" = "$what" ]; then pass; else fail "$name ($how)" "it is $is, not $what"; fi
done <expected
rows=$(wc -l <found)
if [ "$rows" = "$count" ]; then pass "nobody is lost, nobody is there twice"; else fail "nobody is lost, nobody is there twice" "$rows rows"; fi

# ---- bounds ----

# nvcc's time by what it took here, beside another one; hanging submissions wait for their limits.
set -- $(sqlite3 -separator ' ' results/results.db "SELECT round(sum(compiler_s), 1), round(sum(took_s), 1),
    round(sum(CASE WHEN status = 'timed out' THEN took_s - compiler_s ELSE 0 END), 1) FROM attempt")
echo "$lab, $count submissions, $jobs at a time: $((took / 1000)) s; nvcc in all $1 s, all of them $2 s, hanging ones $3 s more than nvcc; memory $most MB"
bound=$(awk -v nvcc="$1" -v hang="$3" -v jobs="$jobs" 'BEGIN { print int(1000 * (1.3 * nvcc / jobs + hang)) }')
echo "bound: 1.3 times nvcc's time over $jobs, and the limits of the hanging ones: $((bound / 1000)) s"
if [ "$took" -le "$bound" ]; then pass "within the time"; else fail "within the time" "$took ms, at most $bound ms"; fi
if [ "$most" -lt 1500 ]; then pass "within 1.5 GB"; else fail "within 1.5 GB" "$most MB"; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
