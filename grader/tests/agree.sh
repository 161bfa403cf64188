#!/bin/sh
# agree.sh - of the same mistake, build/labN and ./grade say the same: agree.sh FOLDER "OBJECTS" labN-NAME...
# Each mistake is graded, and what ./grade's JSON says of the first wrong case of its stage (the symptom, the text, what the
# results look like) must be what the program by hand says of that case, run by the command that the JSON names. A mistake that shows in no
# small case must be right by hand at small sizes too. What only a recording cannot carry works by hand. OBJECTS: what a program by hand is linked with besides a lab's own. Cases
# share files, as in mistakes.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/patches.sh"

# ---- a file ----

# The program by hand for $work/$lab.cu.
build_by_hand() { # OBJECTS
    dir=$(cd "$root" && echo labs/"$lab"-*)
    architecture=$(sed -n 's/^ *\.architecture = \([0-9]*\),.*/\1/p' "$root/$dir/$lab.c")
    (cd "$root" && build/vgpucc -O3 -w -gencode "arch=compute_${architecture:-75},code=compute_${architecture:-75}" \
        $(sed -n 's|^// nvcc:||p' "$work/$lab.cu" | head -n 1) -I common -I "$dir" -Xcompiler -fPIC -Xlinker --export-dynamic \
        "$work/$lab.cu" "build/labs/$lab/driver.o" "build/labs/$lab/baseline-alone.o" $1 -ldl -o "$work/$lab") 2>&1
}

# The value of a text member of a line of JSON, as it stands there.
member() { # NAME LINE
    echo "$2" | awk -v name="\"$1\":\"" '{
        at = index($0, name)
        if (!at) exit
        rest = substr($0, at + length(name))
        while (match(rest, /\\.|"/)) {
            if (substr(rest, RSTART, 1) == "\"") { print out substr(rest, 1, RSTART - 1); exit }
            out = out substr(rest, 1, RSTART + 1)
            rest = substr(rest, RSTART + 2)
        }
    }'
}

# What ./grade says of the first wrong case of a stage that can be run by hand, from "case" on.
first_wrong() { # STAGE
    grep "^{\"id\":\"$1\"" "$work/json" | sed 's/.*"cases":\[//; s/"messages":\[.*//; s/},{"case"/\n{"case"/g' |
        grep '"correct":false' | grep '"by_hand":"build/' | head -n 1
}

# By hand the file has its path, for editors.
by_hand() { # OPTION...
    "$work/$lab" "$@" --json 2>"$work/said" </dev/null | sed "s|$work/||g; s|${work#"$root"/}/||g"
}

compare() { # CASE
    stage=$(stage_of "$1")
    line=$(grep "^{\"id\":\"$stage\"" "$work/json")
    all=$(member symptom "${line%%\"cases\"*}")
    wrong=$(first_wrong "$stage")
    command=$(member by_hand "$wrong")
    if [ -z "$wrong" ]; then
        compare_without_case "$stage" "$all"
        return
    fi
    [ "$(member symptom "$wrong")" != uncarried ] || return
    told=$(by_hand ${command#build/"$lab"})
    other=$(sed -n '/^---/q; s/^# by hand: \([a-z-]*\),.*/\1/p' "$(patch_of "$1")")
    if [ -n "$other" ]; then
        said=$(member symptom "$told")
        [ "${said:-right}" = "$other" ] || echo "by hand it should be $other, and is \"$said\" ($command)"
        return
    fi
    for name in symptom text looks_like; do
        graded=$(member "$name" "$wrong") said=$(member "$name" "$told")
        # How many are wrong may depend on what memory held that nobody wrote.
        graded=${graded%%; [0-9]* of *} said=${said%%; [0-9]* of *}
        # What several cases tell together, one does not.
        [ "$graded" != edge ] || [ "$said" != partly -a "$said" != wrong ] || continue
        [ "$graded" = "$said" ] || echo "$name: ./grade says \"$graded\", by hand it is \"$said\" ($command)"
    done
}

# Either the host code did not come to its end in the first case, or all small cases are right.
compare_without_case() { # STAGE SYMPTOM
    case $2 in
    missing) return ;;
    launch | no_launch | endless | limit) cases=$(sed -n 's/^ *\([0-9]*\)  .*/\1/p' "$work/list") ;;
    *) cases=$(sed -n 's/^ *\([0-9]*\)  .*/\1/p' "$work/list" | tail -n 1) ;;
    esac
    said=
    for number in $cases; do
        said=$(member symptom "$(by_hand "$1" --case "$number")")
        [ -z "$said" ] || break
    done
    case $2,$said in
    launch, | endless, | limit,) said=$(member symptom "$(by_hand "$1")") ;; # at the timed size
    esac
    case $2,$said in
    launch,launch | endless,endless | limit,limit | no_launch,*) ;;
    launch,* | endless,* | limit,*) echo "./grade says $2, by hand it is \"$said\"" ;;
    *,) ;;
    *) echo "right in all cases for ./grade, by hand it is $said" ;;
    esac
}

judge() { # CASE
    if [ -n "$trouble" ]; then
        echo "FAIL $1: $trouble"
        return
    fi
    differences=$(compare "$1")
    if [ -z "$differences" ]; then
        echo "pass $1"
    else
        echo "FAIL $1: $differences"
    fi
}

if [ "$1" = --one ]; then
    folder=$2 file=$4
    work=$folder/$file lab=${file%.*}
    mkdir -p "$work"
    stages=$(sed -n "s/^$file [^ ]* //p" "$folder/files" | paste -sd, -)
    objects=$3
    set -- $(sed -n "s/^$file \([^ ]*\) .*/\1/p" "$folder/files")
    trouble=$(apply_patches "$@")
    [ -n "$trouble" ] || trouble=$(build_by_hand "$(cat "$objects")")
    if [ -z "$trouble" ]; then
        "$work/$lab" --list | sed -n '/^cases/,$p' >"$work/list"
        "$root/grade" "$lab" --virtual --stage "$stages" --file "$work/$lab.cu" --json >"$work/json" 2>"$work/errors" </dev/null
        status=$?
        [ "$status" -le 1 ] || trouble="grade ended with $status: $(cat "$work/errors")"
    fi
    for case; do
        judge "$case"
    done
    exit 0
fi

folder=$1 objects=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
echo "$objects" >"$folder/objects"
share_out "$@" >"$folder/files"
exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder $folder/objects" $(cut -d' ' -f1 "$folder/files" | sort -u)
