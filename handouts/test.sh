#!/bin/sh
# test.sh - suite handouts, nothing in the handouts is stale: test.sh BUILD OUT LAB...
# Tables equal what the model and the record of an H200 give today; the record names only stages that there are, and its table is
# its own; pictures equal what their script draws, and are well-formed; a quoted report is what ./grade says; what handouts link to
# exists.
build=$1 out=$2
shift 2
here=common/lab/bench
passed=0 failed=0
rm -rf "$out"
mkdir -p "$out" || exit 2

say() { # truth, case, why
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2: $3"; fi
}

# ---- tables ----

sh "$here/expected.sh" "$build" "$out" -n "$@" >"$out/expected.log" 2>&1
say $? tables "a stage could not be timed: $out/expected.log"
for handout in "$out"/handouts/*.md; do
    [ -e "$handout" ] || continue
    diff -u "handouts/$(basename "$handout")" "$handout"
    say $? "$(basename "$handout")" "its table is not what the model and handouts/h200.csv give: make handout-tables"
done

# ---- the record ----

if [ -e handouts/h200.csv ]; then
    awk -f "$here/bench.awk" handouts/h200.csv | diff - handouts/h200.md
    say $? h200.md "it is not the table of handouts/h200.csv"
    for lab in "$@"; do
        "$build/labs/$lab/bench" --stages | sed "s/^/$lab,/"
    done >"$out/stages"
    gone=$(grep '^lab[0-9]' handouts/h200.csv | cut -d, -f1,2 | grep -vxF -f "$out/stages" | tr '\n' ' ')
    [ -z "$gone" ]
    say $? h200.csv "no such stage: $gone(record again: make bench RECORD=handouts/h200)"
fi

# ---- pictures ----

sh handouts/pictures/draw.sh "$out/pictures"
say $? draw.sh "it failed"
for picture in "$out"/pictures/*.svg; do
    name=$(basename "$picture")
    cmp "$picture" "handouts/pictures/$name"
    say $? "$name" "it is not what handouts/pictures/draw.sh draws: make pictures"
    sh handouts/pictures/check.sh "$picture"
    say $? "$name" "it is not well-formed, or has no title"
done

# ---- a report that is quoted ----

sh handouts/pictures/report.sh >"$out/report"
words() { tr -s ' \n' '\n' | sed '/^$/d'; }
awk '/^## Reading the report/ { is_in = 1; next } is_in && /^\|/ { exit } is_in && /^    / { print }' handouts/student.md |
    words >"$out/quoted"
words <"$out/report" | diff - "$out/quoted"
say $? student.md "the report it quotes is not what handouts/pictures/report.sh prints"
sed -n '/^<text/s/<[^>]*>//gp' handouts/pictures/grade.svg | sed '1d; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' | words >"$out/pictured"
words <"$out/report" | diff - "$out/pictured"
say $? grade.svg "it does not show what handouts/pictures/report.sh prints: make report-picture"

# ---- links ----

for text in README.md handouts/*.md; do
    folder=$(dirname "$text")
    for link in $(grep -o '](\([^)#: ]*\)' "$text" | sed 's/^](//' | sort -u); do
        [ -e "$folder/$link" ]
        say $? "$text" "it links to $link, which is not there"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
