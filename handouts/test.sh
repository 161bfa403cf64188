#!/bin/sh
# test.sh - suite handouts, nothing in the handouts is stale: test.sh BUILD OUT LAB...
# Tables equal what the model and the record of an H200 give today; the record names only stages that there are, and its table is
# its own; pictures equal what their script draws, and are well-formed; a quoted report is what ./grade says; what texts link to
# and name in code exists. UNTIMED=1: the tables of speedups, which take minutes, are not looked at; suite tables does.
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
say $? tables "a stage could not be timed, or lectures.txt has a fault: $out/expected.log says $(tail -n 1 "$out/expected.log")"
for handout in "$out"/handouts/*.md; do
    [ -e "$handout" ] || continue
    diff -u "handouts/$(basename "$handout")" "$handout"
    say $? "$(basename "$handout")" "its table is not what the model and handouts/h200.csv give: make handout-tables"
done

# ---- the record ----

for lab in "$@"; do
    "$build/labs/$lab/bench" --stages | sed "s/^/$lab,/"
done >"$out/stages"
if [ -e handouts/h200.csv ]; then
    awk -f "$here/bench.awk" handouts/h200.csv | diff - handouts/h200.md
    say $? h200.md "it is not the table of handouts/h200.csv"
    gone=$(grep '^lab[0-9]' handouts/h200.csv | cut -d, -f1,2 | grep -vxF -f "$out/stages" | tr '\n' ' ')
    [ -z "$gone" ]
    say $? h200.csv "no such stage: $gone(record again: make bench RECORD=handouts/h200)"
fi

# All rows of a run are compared with one copy: rows.sh asks the first lab once, and passes the rates on; a program prints what it
# is given, and finds rates that are below what the profile's units could do, but not far.
fake=$out/fake
mkdir -p "$fake/labs/lab97" "$fake/labs/lab98"
cat >"$fake/labs/lab97/bench" <<'PROGRAM'
#!/bin/sh
case $1 in
--stages) echo one; echo two ;;
--ceilings) echo asked >>"${0%/*}/../../asked"; echo 4000 60000 ;;
*) echo "row,$1,$2,$3" ;;
esac
PROGRAM
chmod +x "$fake/labs/lab97/bench"
cp "$fake/labs/lab97/bench" "$fake/labs/lab98/bench"
sh "$here/rows.sh" "$fake" bench 2 lab97 lab98 >"$out/fake-rows"
[ "$(grep -c '^row,[a-z]*,4000,60000$' "$out/fake-rows")" = 4 ] && [ "$(wc -l <"$fake/asked")" = 1 ]
say $? rows.sh "its rows do not share one copy's rate: $out/fake-rows"
[ "$("$build/labs/lab3/bench" naive 1000 2000 | cut -d, -f9,10)" = copy,1000 ]
say $? bench "it does not print the copy's rate that it is given"
"$build/labs/lab3/bench" --ceilings >"$out/ceilings"
awk -F ' *[=#] *' 'FNR == NR { of[$1] = $2; next }
    { split($0, rate, " "); peak = of["sms"] * of["fp32_lanes"] * 2e-3 * of["clock_mhz"]
      exit !(rate[1] > 0.85 * of["dram_gbs"] && rate[1] <= of["dram_gbs"] && rate[2] > 0.85 * peak && rate[2] <= peak) }' \
    common/vgpu/gpus/h200.gpu "$out/ceilings"
say $? ceilings "not near the profile's: $(cat "$out/ceilings")"

# ---- the map of lectures: faults in it are found out ----

{
    cat "$out/stages"
    echo lab3,nowhere
} >"$out/more-stages"
sed '/^A2 /d; /^D10 /s/|[^|]*$/| lab98.1 x/; /^D11 /s/|[^|]*$/| not taken:/; /^D12 /s/|[^|]*$/| not taken: a reason/; s/lab3[.]2 tiled/lab3.2 tilted/; s/lab3[.]4 rows/lab3.99 rows/; s/#cache-levels/#nowhere/' \
    handouts/lectures.txt >"$out/lectures.txt"
awk -f handouts/lectures.awk "$out/more-stages" "$out/lectures.txt" handouts/*.md 2>"$out/lectures.log" >"$out/lectures.md"
for words in 'no step names stage nowhere of lab3' 'A3 does not follow A1' 'D10 (.*) has no place' 'stage tilted of lab3' \
    'section 99 of lab3' 'no such heading' 'D11 (.*) is not taken, and does not say why'; do
    grep -q "$words" "$out/lectures.log"
    say $? "planted fault of the map" "not found: $words"
done
grep -q '^| D12 | .* | not taken: a reason |$' "$out/lectures.md" && ! grep -q D12 "$out/lectures.log"
say $? "a step that is not taken" "its reason is not in the table, or is a fault: $out/lectures.log"

# ---- figures: each has a source, and equals it ----

${MAKE:-make} -s figures >"$out/figures.log" 2>&1
say $? figures "$(grep -v '^make' "$out/figures.log" | head -n 5)"

# ---- figures.awk: rows that begin with a number, rows of tables, the model's report ----

echo 'Not 2 ms, but 3 ms, 4 ms: 11.4 % off.

| 5 % | share |' >"$out/figured.md"
echo '| families held out while the model is made | value |
|---|--:|
| median error of speedups | 11.4 % |' >"$out/model-report.md"
echo 'figured.md
 Not {} ms | defined
 {} ms, {} ms: {} % off | 1 + 2, 8 / 2, model:held.median
 {} % | share | | defined' >"$out/figures.txt"
count_faults() { # sed's change of the rows
    sed "$1" "$out/figures.txt" >"$out/more-figures.txt"
    timeout 60 awk -f handouts/figures.awk "$out/model-report.md" "$out/more-figures.txt" "$out/figured.md" 2>&1 | sed -n 's/.* \([0-9]*\) faults$/\1/p'
}
[ "$(count_faults '')" = 0 ]
say $? figures.awk "rows that are right are faults, or it does not end"
[ "$(count_faults 's/1 + 2/1 + 1/; s/held.median/held.near/; /share/d')" = 3 ]
say $? "planted fault of figures" "of three faults it found $(count_faults 's/1 + 2/1 + 1/; s/held.median/held.near/; /share/d')"

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

# ---- links, and names in code ----

texts=$(find README.md handouts common grader -name '*.md')
# shellcheck disable=SC2086
sh handouts/names.sh "$out" $texts >"$out/gone"
for text in $texts; do
    grep "^$text:" "$out/gone"
    ! grep -q "^$text:" "$out/gone"
    say $? "$text" "it names what is not there"
done
# The search itself: each of these names is found out.
cat >"$out/planted.md" <<'TEXT'
[a](nowhere.md) [b](#nowhere) [c](../../../README.md#nowhere)
`common/nowhere.c` `make nowhere` `./grade lab3.nowhere` `./grade lab3.99` `build/lab3 nowhere` `build/lab98` `--nowhere`
`now_where` `now_here()` `no__where.sum`

    ./grade lab3 --nowhere
TEXT
sh handouts/names.sh "$out" "$out/planted.md" README.md | grep "^$out/planted.md:" >"$out/planted"
[ "$(wc -l <"$out/planted")" = 14 ]
say $? planted "of 14 names that are not there, it found $(wc -l <"$out/planted"): $out/planted"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
