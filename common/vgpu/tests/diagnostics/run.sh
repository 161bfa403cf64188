#!/bin/sh
# run.sh - the diagnostics on planted bugs, and their silence on correct programs: run.sh bugs|repaired|silent PROGRAMS NAME...
# bugs/NAME.cu is built twice, as PROGRAMS/NAME and, with -DFIXED, as PROGRAMS/NAME-fixed. The first must give a message
# of the kind and with the words of the file's "// expect:" line, naming the file and a line marked "// BUG", and the text of a
# "// says:" line, and not that of a "// never:" line; the second, repaired, must print nothing. Programs of silent/ print only
# "ok".
# Without full checking, a race is hinted at in one line at the end, unless a line "// no hint:" says why not; what is right
# gives no hint.
here=$(dirname "$0")

# Runs a program; what it says is left in PROGRAM.out and PROGRAM.err. False, with why, if it does not end.
run() { # program [level]
    VGPU_CHECK=${2-full} VGPU_BUDGET=2000000 VGPU_WORK=20000000 sh "$here/../limited.sh" "$1" >"$1.out" 2>"$1.err"
    case $? in 124 | 152) echo "it does not end" && return 1 ;; esac
}

# True if a message says what the source file expects.
is_expected() { # err source
    says=$(sed -n 's|^// says: ||p' "$2")
    [ -z "$says" ] || grep -qF "$says" "$1" || return 1
    never=$(sed -n 's|^// never: ||p' "$2")
    [ -z "$never" ] || ! grep -qF "$never" "$1" || return 1
    kind=$(sed -n 's|^// expect: \([a-z]*\):.*|\1|p' "$2" | head -1)
    words=$(sed -n 's|^// expect: [a-z]*: *||p' "$2" | head -1)
    for line in $(grep -n '// BUG' "$2" | cut -d: -f1); do
        grep "^vgpu: $kind: " "$1" | grep -E "$(basename "$2"):$line([^0-9]|\$)" | grep -qF "$words" && return 0
    done
    return 1
}

# True if a race that is not looked for is hinted at, once, with the line; other bugs need no hint.
is_hinted() { # err source
    grep -q '^// expect: race:' "$2" || return 0
    notes=$(grep -c '^vgpu: note: .*VGPU_CHECK=full' "$1")
    grep -q '^// no hint: ' "$2" && { [ "$notes" = 0 ]; return; }
    [ "$notes" = 1 ] || return 1
    for line in $(grep -n '// BUG' "$2" | cut -d: -f1); do
        grep '^vgpu: note: ' "$1" | grep -qE "$(basename "$2"):$line([^0-9]|\$)" && return 0
    done
    return 1
}

# Prints the first message; false if there is one.
is_silent() { # err
    grep '^vgpu:' "$1" | head -1
    ! grep -q '^vgpu:' "$1"
}

# What is expected, what came, and how to see it.
fail() { # name why [source program]
    echo "FAIL $1: $2"
    [ $# -gt 2 ] || return
    echo "    expected, at a line marked BUG: $(grep -E '^// (expect|says|never): ' "$3" | tr '\n' ' ')"
    echo "    said: $(grep '^vgpu:' "$4.err" | head -2 | tr '\n' '|')"
    echo "    run it: VGPU_CHECK=full VGPU_BUDGET=2000000 VGPU_WORK=20000000 $4"
}

case_bug() { # programs name
    program=$1/$2 source=$here/bugs/$2.cu
    said=$(run "$program") || { fail "$2" "$said"; return; }
    is_expected "$program.err" "$source" || { fail "$2" "not the message that is expected" "$source" "$program"; return; }
    said=$(run "$program" bounds) || { fail "$2" "unchecked, $said"; return; }
    is_hinted "$program.err" "$source" || { fail "$2" "no hint of it, or a wrong one: $(grep note: "$program.err")"; return; }
    echo "pass $2"
}

case_repaired() { # programs name
    program=$1/$2-fixed
    for level in full bounds; do
        said=$(run "$program" $level) || { fail "$2" "repaired, $said"; return; }
        said=$(is_silent "$program.err") || { fail "$2" "repaired, it still says: $said"; return; }
    done
    echo "pass $2"
}

case_silent() { # programs name
    program=$1/$2
    for level in full bounds; do
        said=$(run "$program" $level) || { fail "$2" "$said"; return; }
        said=$(is_silent "$program.err") || { fail "$2" "it should be silent, and says: $said"; return; }
        grep -q '^ok' "$program.out" || { fail "$2" "it should print ok, and prints: $(head -1 "$program.out")"; return; }
    done
    echo "pass $2"
}

case $1 in
--bugs) case_bug "$2" "$3" ;;
--repaired) case_repaired "$2" "$3" ;;
--silent) case_silent "$2" "$3" ;;
*)
    kind=$1 programs=$2
    shift 2
    sh "$here/../each.sh" "sh $0 --$kind $programs" "$@"
    ;;
esac
