#!/bin/sh
# editor.sh - what editors need of the kit: editor.sh FOLDER CUDA
# .vscode/tasks.json is JSON, and its patterns match what ./grade and nvcc really print, with a path that can be opened from the
# kit's folder; compile_commands.json has every file, and clang takes its entries.
set -u
kit=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 cuda=$2
. "$kit/grader/tests/in_copy.sh"
place=labs/lab3-bank-conflicts/lab3.cu
own=$root/$place
solution=$kit/solutions/lab3-bank-conflicts/lab3.cu
tasks=$kit/.vscode/tasks.json

# Reads one JSON value; status 1 and a sentence where it is none. Needs no more than awk.
cat >json.awk <<'END'
function skip() { while (substr(text, at, 1) ~ /[ \t\n\r]/ && at <= length(text)) at++ }
function take(mark) { skip(); if (substr(text, at, 1) != mark) return 0; at++; return 1 }
function wrong(what) { if (!bad) print "wanted " what " at: " substr(text, at, 40); bad = 1 }
function value(    rest) {
    skip()
    rest = substr(text, at, 4000)
    if (take("{")) members("}", 1)
    else if (take("[")) members("]", 0)
    else if (match(rest, /^"([^"\\]|\\["\\\/bfnrtu])*"/) || match(rest, /^(-?[0-9][0-9.eE+-]*|true|false|null)/)) at += RLENGTH
    else wrong("a value")
}
function members(end, has_names) {
    if (take(end)) return
    do {
        if (has_names) { value(); if (!bad && !take(":")) wrong("a colon") }
        if (!bad) value()
    } while (!bad && take(","))
    if (!bad && !take(end)) wrong(end)
}
{ text = text $0 "\n" }
END { at = 1; value(); skip(); if (!bad && at <= length(text)) wrong("the end"); exit bad }
END
is_json() { # what file
    if why=$(awk -f json.awk "$2"); then pass "$1 is JSON"; else fail "$1" "it is no JSON: $why"; fi
}
echo '{"a": [1, {"b": "c\"d"}],}' >broken.json
if awk -f json.awk broken.json >/dev/null; then fail "the reader of JSON" "it takes what is none"; else pass; fi

# ---- the tasks ----

is_json tasks.json "$tasks"
if (cd "$kit" && git rev-parse >/dev/null 2>&1); then
    if (cd "$kit" && git check-ignore -q .vscode/tasks.json); then fail "tasks.json" "git ignores it"; else pass "tasks.json is tracked"; fi
    if (cd "$kit" && git check-ignore -q compile_commands.json); then pass "the database is not"; else fail "compile_commands.json" "git would track it"; fi
fi
for label in "grade this lab" "grade this stage" hint explain "build and run by hand"; do
    if grep -qF "\"label\": \"$label\"" "$tasks"; then pass; else fail "tasks" "there is no \"$label\""; fi
done
# The lab by the folder of the open file, as the shell of a task finds it.
for one in "$kit"/labs/lab*/; do
    name=$(basename "$one")
    lab=$(sed -n 's/.*"command": "\.\/grade \(\$(.*)\)\.[^)]*",*$/\1/p' "$tasks" | head -n 1 | sed "s/\${fileDirnameBasename}/$name/")
    if [ "$(eval echo "$lab")" = "${name%%-*}" ]; then pass; else fail "the lab of $name" "it is $(eval echo "$lab")"; fi
done
# A pattern of tasks.json, as grep -E wants it.
pattern() { # owner
    sed -n "/\"owner\": \"$1\"/,/regexp/s/.*\"regexp\": \"\(.*\)\",*\$/\1/p" "$tasks" | head -n 1 |
        sed 's/\\\\/\\/g; s/\[^\\s/[^[:space:]/g; s/\\s/[[:space:]]/g; s/\\d/[0-9]/g; s/(?:/(/g'
}
# A line of the report matches, and what it takes for the file can be opened from the kit's folder at a line with these words.
finds() { # what owner severity words
    grep -E "$(pattern "$2")" "$out" | grep -E "$3" | sed 's/^ *//; s/^vgpu: [a-z]*: //' | head -n 1 >found
    file=$(sed 's/[:(].*//' found) line=$(sed 's/^[^:(]*[:(]\([0-9]*\).*/\1/' found)
    if [ ! -s found ]; then
        fail "$1" "no line for the problem matcher $(pattern "$2")" "$out"
    elif [ "$file" != "$place" ]; then
        fail "$1" "the file is $file"
    elif sed -n "${line}p" "$root/$file" | grep -qF -- "$4"; then
        pass "$1"
    else
        fail "$1" "line $line has no \"$4\": $(sed -n "${line}p" "$root/$file")" "$out"
    fi
}
wrong() { # mistake
    cp "$solution" "$own"
    (cd "$(dirname "$own")" && patch -s -p1 --no-backup-if-mismatch lab3.cu "$kit/grader/tests/mistakes/lab3/$1.patch") ||
        fail "$1" "the patch does not apply"
}

sed 's/^    __syncthreads();/    nonsense;/' "$solution" >"$own"
grade lab3.tiled --virtual
finds "a compile error" grade ': error: ' 'nonsense;'
"$cuda/bin/nvcc" -std=c++17 -I "$root/common" -I "$(dirname "$own")" -ptx -o /dev/null "$own" 2>&1 | sed "s|$root/||" >"$out"
finds "a compile error of nvcc" nvcc ': error: ' 'nonsense;'
sed 's/^    __syncthreads();/    int unused_name = 1; __syncthreads();/' "$solution" >"$own"
grade lab3.tiled --virtual
finds "a warning" grade ': warning: ' unused_name
expect "the warning's number" 0 "never referenced [#177-D]"
wrong edge-off-by-one
grade lab3.tiled --virtual
finds "an access out of bounds" grade ': error: out of bounds read' 'in[(size_t)row'
wrong missing-barrier
grade lab3.tiled --virtual
finds "a race" grade ': error: race in shared memory' 'tile[threadIdx.x][threadIdx.y]'
wrong grid-rounded-down
grade lab3.tiled --virtual
finds "a launch that is refused" grade ': error: launch with an empty grid' 'tiled_kernel<<<'
finds "a call that returned an error" grade ': error: the kernel launch failed' 'CHECK_LAUNCH'
echo "vgpu: error: $place:1: out of bounds" >"$out"
finds "a finding by hand" vgpu ': out of bounds' '/*'
# From outside of the kit, a file is called as it was named.
cp "$own" "$folder/other.cu"
grade lab3.tiled --virtual --file other.cu
expect "another file" 1 " other.cu:$(grep -n 'CHECK_LAUNCH' other.cu | sed -n 2p | cut -d: -f1): error: "

# ---- the compilation database ----

(cd "$kit" && sh common/compile_commands.sh "$cuda") >database.json
is_json compile_commands.json database.json
for one in "$kit"/labs/lab*/lab*.cu "$kit"/solutions/lab*/lab*.cu "$kit"/grader/hint.c "$kit"/common/lab/hints.c "$kit"/labs/lab*/lab*.c; do
    case $one in */lab*.20[0-9][0-9]-*) continue ;; esac
    if grep -qF "\"file\": \"${one#"$kit"/}\"" database.json; then pass; else fail "the database" "it lacks ${one#"$kit"/}"; fi
done
accepts() { # what file
    grep -F "\"file\": \"$2\"" database.json | sed 's/.*"arguments": \[\(.*\)\]}.*/\1/; s/", "/"\n"/g' |
        sed "s/^\"//; s/\"\$//; s/\\\\\"/\"/g" >words
    if (cd "$kit" && tr '\n' '\0' <"$folder/words" | xargs -0 env) >clang.log 2>&1; then pass "$1"; else fail "$1" "clang refuses $2" clang.log; fi
}
if command -v clang >/dev/null; then
    accepts "clang takes a file of the kit" grader/hint.c
    accepts "clang takes a lab's driver" labs/lab3-bank-conflicts/lab3.c
    [ -z "$cuda" ] || accepts "clang takes a lab's file" solutions/lab9-hotspot/lab9.cu
else
    echo "(there is no clang: its part is left out)"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
