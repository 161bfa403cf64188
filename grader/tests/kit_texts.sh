#!/bin/sh
# kit_texts.sh - what is wrong with the texts of a kit for students: kit_texts.sh KIT OUT, a line for each fault.
# Links and their anchors; files, folders and make's targets that are named in code; marks of passages that are for instructors; and
# what is left of a sentence when something was taken out of it.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
kit=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$kit" || exit 2
find . -name '*.md' ! -path './build/*' | sed 's|^\./||' | LC_ALL=C sort >"$out/texts"
# shellcheck disable=SC2046
set -- $(cat "$out/texts")
awk -f "$root/handouts/links.awk" "$@" 2>/dev/null

# Targets, by what make itself knows; files from the kit's folder, from the text's, or from a lab's.
make -pnq help 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_.-]*\):.*/\1/p' | sort -u >"$out/targets"
awk -f "$root/handouts/names.awk" "$@" | sort -u >"$out/names"
awk -F '\t' 'NR == FNR { known[$0] = 1; next } $1 == "make" && !($3 in known) { print $2 ": there is no `make " $3 "` here" }' "$out/targets" "$out/names"
awk '/^ *```/ { is_fenced = !is_fenced } FNR == 1 { is_fenced = 0 }
     !is_fenced {
         text = $0
         while (match(text, /`[^`]+`/)) {
             name = substr(text, RSTART + 1, RLENGTH - 2)
             text = substr(text, RSTART + RLENGTH)
             n = split(name, word, " ")
             for (i = 1; i <= n; i++)
                 if (word[i] ~ /^[A-Za-z0-9_.-]+\/([A-Za-z0-9_.*\/-]*\.(md|c|h|cu|csv|sh|def|txt|awk|js|svg|gpu|mk))?$/ && word[i] !~ /^(build|results|\.|\.\.)\/|lab99/)
                     print FILENAME ":" FNR "\t" FILENAME "\t" word[i]
         }
     }' "$@" | sort -u | while IFS='	' read -r place text name; do
    found=
    for path in "$name" "common/$name" "$(dirname "$text")/$name" labs/*/"$name"; do
        # shellcheck disable=SC2086
        ls -d $path >/dev/null 2>&1 && { found=1; break; }
    done
    [ -n "$found" ] || echo "$place: \`$name\` is not here"
done

# An empty pair of parentheses, blanks or commas before a full stop, a comma behind an opening parenthesis: outside of code.
awk 'FNR == 1 { is_fenced = 0 }
     /^ *```/ { is_fenced = !is_fenced; next }
     /<!-- \/?instructor/ { print FILENAME ":" FNR ": a mark of what is for instructors" }
     is_fenced || /^    / { next }
     {
         text = $0
         gsub(/`[^`]*`/, "x", text)
         if (match(text, / \.( |$)|,\.|[^.] ,|\( *[,;:]|, *\)|(^| )\(\)|: *\.$|\[\]|\]\(\)/))
             print FILENAME ":" FNR ": something is missing at \"" substr(text, RSTART > 20 ? RSTART - 20 : 1, 50) "\""
     }' "$@"
