#!/bin/sh
# cost.sh - how long it takes to grade each lab on the virtual GPU, the best of three: cost.sh [OTHER_KIT]
# The whole of the solution; until its first stage that earns points is told, and the same of a file that has no more than that
# stage, as students begin (one of grader/tests/honest; "-": there is none); until a compile error is told.
# Beside it, where another kit is named, what that one takes, in turns: times of different hours compare badly.
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
now() { date +%s%N; }
whole() { # kit lab
    begin=$(now)
    (cd "$1" && ./grade "$2" --solution --virtual) >/dev/null 2>&1 || return 1
    echo $((($(now) - begin) / 1000000))
}
until_right() { # kit lab option...: a pipe, so that nothing is told before it is flushed
    kit=$1
    shift
    begin=$(now)
    (cd "$kit" && ./grade "$@" --virtual) 2>/dev/null | while IFS= read -r line; do
        case $line in *" right"*) echo $((($(now) - begin) / 1000000)) ;; esac
    done | head -n 1
}
first() { # kit lab
    until_right "$1" "$2" --solution
}
begun() { # kit lab
    stage=$("$1/build/$2" --list | awk '/ points/ { print $2; exit }')
    file=$(grep -lx "// stage: $stage" "$here/grader/tests/honest/$2"/*.cu | head -n 1)
    [ -z "$file" ] && echo - || until_right "$1" "$2" --file "$file"
}
broken() { # kit lab
    { cat "$1"/labs/"$2"-*/"$2".cu; echo 'int broken = nothing;'; } >"$folder/$2.cu"
    begin=$(now)
    (cd "$1" && ./grade "$2" --file "$folder/$2.cu" --virtual) 2>&1 | grep -q '"nothing" is undefined' || return 1
    echo $((($(now) - begin) / 1000000))
}
best() { # what kit lab
    for run in 1 2 3; do "$1" "$2" "$3"; done | sort -n | head -n 1
}
all() { # kit lab
    printf '%6s ms, first stage %5s ms, alone %5s ms, compile error %5s ms' "$(best whole "$1" "$2")" \
        "$(best first "$1" "$2")" "$(best begun "$1" "$2")" "$(best broken "$1" "$2")"
}
for lab in $(cd "$here/labs" && ls -d lab*-* | sed 's/-.*//'); do
    printf '%s  %s' "$lab" "$(all "$here" "$lab")"
    [ -z "$1" ] || printf '  other kit %s' "$(all "$1" "$lab")"
    echo
done
