#!/bin/sh
# cost.sh - how long it takes to grade each lab on the virtual GPU, the best of three: cost.sh [OTHER_KIT]
# The whole of the solution; until its first stage that earns points is told, and the same of a file that has no more than that
# stage, as students begin (one of grader/tests/honest; "-": there is none); until a compile error is told.
# Below it, what a save costs in `./grade watch`, for the first stage of the solution that earns points: nvcc alone, with the grader's
# options but outside of it; the whole regrade; and its steps. Every text is a new one: none was compiled before. The bar is nvcc alone
# and 0.7 s, on idle cores.
# Beside it, where another kit is named, what that one takes, in turns: times of different hours compare badly.
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
now() { date +%s%N; }
fresh() { # text lab: a copy that nobody has compiled yet
    { cat "$1"; echo "// $(now)"; } >"$folder/$2.cu"
    echo "$folder/$2.cu"
}
solution() { # kit lab
    fresh "$(echo "$1"/solutions/"$2"-*/"$2".cu)" "$2"
}
whole() { # kit lab
    file=$(solution "$1" "$2")
    begin=$(now)
    (cd "$1" && ./grade "$2" --file "$file" --virtual) >/dev/null 2>&1 || return 1
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
    until_right "$1" "$2" --file "$(solution "$1" "$2")"
}
begun() { # kit lab
    stage=$("$1/build/$2" --list | awk '/ points/ { print $2; exit }')
    file=$(grep -lx "// stage: $stage" "$here/grader/tests/honest/$2"/*.cu | head -n 1)
    [ -z "$file" ] && echo - || until_right "$1" "$2" --file "$(fresh "$file" "$2")"
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
alone() { # lab: nvcc by itself
    architecture=$(sed -n 's/.*[.]architecture = \([0-9]*\).*/\1/p' "$here"/labs/"$1"-*/"$1".c)
    architecture=${architecture:-75}
    begin=$(now)
    (cd "$folder" && "${NVCC:-$nvcc}" --no-compress -lineinfo -g -gencode "arch=compute_$architecture,code=[compute_$architecture,sm_90]" \
        -Xcompiler -fPIC -I"$(echo "$here"/labs/"$1"-*)" -I"$here/common" -c "$(echo "$here"/solutions/"$1"-*/"$1".cu)" \
        -o alone.o -D_GLIBCXX_BITS_SPECFUN_H) >/dev/null 2>&1 || return 1
    echo $((($(now) - begin) / 1000000))
}
regrade() { # lab stage: milliseconds, and the steps
    "$here/grade" watch "$1.$2" -v --virtual --file "$(solution "$here" "$1")" 2>/dev/null | sed '/waiting for/q' |
        awk '/of which the compiler/ { whole = 1000 * $1; getline; sub(/^ */, ""); print whole, $0 }'
}
saved() { # lab
    stage=$("$here/build/$1" --list | awk '/ points/ { print $2; exit }')
    own=$(for run in 1 2 3; do alone "$1"; done | sort -n | head -n 1)
    whole=$(for run in 1 2 3; do regrade "$1" "$stage"; done | sort -n | head -n 1)
    printf '      %s: nvcc alone %5s ms, a save %5s ms, %5s ms more (%s)\n' "$stage" "$own" "${whole%% *}" "$((${whole%% *} - own))" "${whole#* }"
}
all() { # kit lab
    printf '%6s ms, first stage %5s ms, alone %5s ms, compile error %5s ms' "$(best whole "$1" "$2")" \
        "$(best first "$1" "$2")" "$(best begun "$1" "$2")" "$(best broken "$1" "$2")"
}
# ONLY=lab3: that one alone.
for lab in $(cd "$here/labs" && ls -d lab*-* | sed 's/-.*//'); do
    [ -z "${ONLY:-}" ] || [ "$ONLY" = "$lab" ] || continue
    printf '%s  %s' "$lab" "$(all "$here" "$lab")"
    [ -z "$1" ] || printf '  other kit %s' "$(all "$1" "$lab")"
    echo
    saved "$lab"
done
