#!/bin/sh
# help.sh - what is made of the tables of commands and options, from outside: help, man page, completions: help.sh FOLDER
# Names no command but to ask for it: whoever adds one has it looked at here. Grades nothing.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
says() { # what pattern file
    if grep -qE -- "$2" "$3"; then pass; else fail "$1" "$3 has no $2"; fi
}
offers() { # words...: one candidate a line
    "$root/grade" --complete "$@" | cut -f 1
}

# ---- help ----

commands=$(offers '' | grep -v '^lab')
if [ "$(echo "$commands" | wc -l)" -ge 9 ]; then pass "commands are listed"; else fail "commands" "there are few: $commands"; fi
for command in '' lab3 $commands; do
    grade $command --help
    expect "help of ./grade $command" 0 "./grade $command"
    if awk 'length($0) > 80 || NR > 24 { exit 1 }' "$out"; then pass; else fail "help of $command" "it is more than a screen" "$out"; fi
done

for words in "" lab3 batch; do
    # shellcheck disable=SC2086
    grade $words --help
    cp "$out" help
    grade help $words
    if [ "$status" = 0 ] && cmp -s help "$out"; then pass "./grade help $words"; else fail "./grade help $words" "it is not ./grade $words --help" "$out"; fi
done
grade help bach
expect "help of no command" 2 "Did you mean batch?"

# ---- the man page ----

grade --man
expect "a man page" 0 ".TH GRADE 1" ".SH EXIT STATUS" ".SH FILES" ".SH ENVIRONMENT" ".SH EXAMPLES"
cp "$out" grade.1
sed 's/\\-/-/g; s/\\f[BIR]//g' grade.1 >plain
for command in $commands; do
    says "a command in the man page" "^./grade $command( |\$)" plain
    "$root/grade" "$command" --help | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' >options
    while IFS= read -r option; do
        says "an option of $command in the man page" "(^|, )$option( |\$)" plain
        offers "$command" -- | grep -qxF -- "$option" || fail "completion" "$command $option is not offered"
    done <options
done
pass "the man page has all commands and options, and so have completions"
# Variables that the sources read, by their names in quotes.
(cd "$root" && cat grader/*.c grader/sandbox/*.c common/base/*.c common/lab/*.c common/vgpu/runtime/*.c common/vgpu/vgpucc/*.c) |
    grep -oE '(getenv|find_named|read_word|read_number)\("[A-Z_]+"|"(NVCC|VGPU|WARPSTEP|CUDA|XDG)_[A-Z_]+"' | grep -oE '"[A-Z_]+"' |
    tr -d '"' | sort -u >variables
for variable in $(cat variables); do
    says "a variable in the man page" "^$variable\$" plain
done
if [ "$(wc -l <variables)" -gt 15 ]; then pass "the man page has all variables"; else fail "variables" "few were found" variables; fi
lint() { # tool words...: prints nothing
    command -v "$1" >/dev/null || return
    "$@" >lint 2>&1 </dev/null
    if [ -s lint ]; then fail "the man page, by $1" "there are warnings" lint; else pass "the man page, by $1"; fi
}
lint groff -man -ww -z -Tutf8 grade.1
lint mandoc -Tlint -Werror grade.1
if command -v man >/dev/null && LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l grade.1 >page 2>warnings </dev/null; then
    if [ -s warnings ] || [ ! -s page ]; then fail "man" "there are warnings" warnings; else pass "man shows it"; fi
fi

# ---- completions: what may stand where ----

offered() { # what expected words...
    what=$1 want=$2
    shift 2
    got=$(offers "$@" | tr '\n' ' ')
    if [ "$got" = "$want" ]; then pass "$what"; else fail "$what" "it offers \"$got\", not \"$want\""; fi
}
offered "a command" "batch " ba
offered "a lab" "lab1 lab10 " lab1
offered "a lab of a command" "lab1 lab10 " watch lab1
offered "a stage by its id" "lab3.tiled " lab3.t
offered "a stage by its row" "lab3.2 " explain lab3.2
offered "no stage where a lab is wanted" "" history lab3.t
offered "stages of a list" "tiled,padded " lab3 --stage tiled,p
offered "a GPU" "h100 h200 " lab3 --gpu h
offered "a GPU behind =" "--gpu=p100 " lab3 --gpu=p
offered "a GPU behind =, as bash parts it" "p100 " lab3 --gpu = p
offered "a folder" ":folders " batch lab3 ''
offered "an option's folder" ":folders " batch --out ''
offered "files" ":files " compare lab3 a.cu ''
offered "a file" ":files " lab3 --file ''
offered "a form" "gradescope " lab3 --form g
offered "nothing more" "" batch lab3 dir ''
offered "the options of a command" "--json --verbose --help " history lab3 --
offered "behind --" ":folders " batch lab3 -- -
offered "a lab that is not there" "" lab99.
grade --completion fish
expect "a shell without completions" 2 "--completion bash, or zsh"

# ---- completions: in the shells ----

"$root/grade" --completion bash >complete.bash
"$root/grade" --completion zsh >complete.zsh
mkdir -p work/sub
touch "work/sub/a file.cu"
cat >ask.bash <<'END'
# ask.bash WORD...: what bash would offer; the first word is the program
source ./complete.bash
spec=$(complete -p grade)
[[ $spec == *"-F _warpstep_grade grade" ]] || echo "no completion: $spec"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_warpstep_grade "$1"
printf '%s\n' "${COMPREPLY[@]}"
END
in_shell() { # what expected words...
    what=$1 want=$2
    shift 2
    got=$(bash ask.bash "$root/grade" "$@" 2>&1 | tr '\n' ' ')
    if [ "$got" = "$want" ]; then pass "$what"; else fail "$what" "it offers \"$got\", not \"$want\""; fi
}
if command -v bash >/dev/null; then
    in_shell "bash: a command" "batch " ba
    in_shell "bash: a stage" "lab3.padded " hint lab3.p
    in_shell "bash: a GPU behind =" "a100 " lab3 --gpu = a
    in_shell "bash: a folder" "work/sub " batch lab3 work/s
    in_shell "bash: a file with a blank" "work/sub/a file.cu " lab3 --file work/sub/a
    in_shell "bash: nothing" " " batch lab3 work ''
fi
if command -v zsh >/dev/null; then
    cat >ask.zsh <<'END'
# ask.zsh WORD...: what the function hands to zsh, which shows it only to a terminal
compdef() { }
_files() { print -r -- "files $*" }
_describe() { print -rl -- "${(@P)2}" }
source ./complete.zsh
words=("$@") CURRENT=$#
_warpstep_grade
END
    in_zsh() { # what expected words...
        what=$1 want=$2
        shift 2
        got=$(zsh -f ask.zsh "$root/grade" "$@" 2>&1 | cut -d : -f 1 | tr '\n' ' ')
        if [ "$got" = "$want" ]; then pass "$what"; else fail "$what" "it offers \"$got\", not \"$want\""; fi
    }
    in_zsh "zsh: a command" "batch " ba
    in_zsh "zsh: a stage" "lab3.padded " hint lab3.p
    in_zsh "zsh: a GPU behind =" "--gpu=a100 " lab3 --gpu=a
    in_zsh "zsh: a folder" "files -/ " batch lab3 ''
    in_zsh "zsh: nothing" "" batch lab3 work ''
    # As it lies in site-functions, found by compinit, in a terminal.
    mkdir functions
    cp complete.zsh functions/_grade
    if zsh -fc 'fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d dump; print $_comps[grade]' 2>&1 | grep -qx _grade; then
        pass "zsh: compinit finds it"
    else
        fail "zsh: compinit" "it does not find _grade"
    fi
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
