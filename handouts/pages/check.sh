#!/bin/sh
# check.sh - suite pages, every page can be read everywhere: check.sh BUILD OUT
# Makes all pages and opens them in headless Chromium, at the widths of a phone and of a screen, in light and in dark colours: nothing
# wider than the page, letters that stand out, pictures that load, links that lead somewhere, nothing from outside, no error in
# the console. Then the PDF files: each has pages. The check itself is tested with pages that have one fault each.
build=$1 out=$2
folder=$build/handouts
here=$(dirname "$0")
widths="360, 1280"
passed=0 failed=0
skip() {
    echo "skipped: $*"
    echo "0 passed, 0 failed"
    exit 0
}
command -v pandoc >/dev/null || skip "no pandoc: install the package pandoc"
lacking=$(sh "$here/pages.sh" browser) || skip "$lacking"
rm -rf "$out"
mkdir -p "$out" || exit 2

say() { # truth, case, why
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2: $3"; fi
}

# What is wrong with the pages in a folder, as lines "fault ..."; and one "checked ..." for each set of colours.
look() { # folder
    {
        echo '<!doctype html><meta charset="utf-8"><title>check</title><body><script>'
        echo "const WIDTHS = [$widths];"
        echo "const PAGES = [$(cd "$1" && ls ./*.html | grep -v '^[.]/check[.]html$' | sed 's|^[.]/||; s/.*/"&",/' | tr '\n' ' ')];"
        echo "const PAPERS = [$(cd "$1" && ls ./*.pdf 2>/dev/null | sed 's|^[.]/||; s/.*/"&",/' | tr '\n' ' ')];"
        cat "$here/readable.js" "$here/check.js"
        echo '</script>'
    } >"$1/check.html"
    for scheme in light dark; do
        sh "$here/pages.sh" dom "$1/check.html" $scheme >"$out/dom" 2>"$out/stderr"
        sed -n 's/.*\(fault .*\)/\1/p; s/.*\(checked .*\)/\1/p' "$out/dom"
        grep -a 'CONSOLE' "$out/stderr" | sed 's/.*CONSOLE[^]]*\] */fault console: /'
    done
    rm -f "$1/check.html"
}

# ---- the pages ----

${MAKE:-make} handouts BUILD="$build" >"$out/make.log" 2>&1 || {
    echo "FAIL make handouts: it ends with $?"
    grep -v '^PAGE\|^PRINT' "$out/make.log"
    echo "0 passed, 1 failed"
    exit 1
}
look "$folder" >"$out/seen"
count=$(ls "$folder"/*.html | wc -l)
for scheme in light dark; do
    grep -q "^checked $((2 * count)) pages and [1-9][0-9]* drawings, $scheme" "$out/seen"
    say $? "$scheme" "the check did not end; Chromium says $(tail -n 1 "$out/stderr")"
done
for page in "$folder"/*.html; do
    name=$(basename "$page")
    grep "^fault $name" "$out/seen" | sort -u
    ! grep -q "^fault $name" "$out/seen"
    say $? "$name" "see above"
done
grep '^fault [^ ]*:' "$out/seen" | grep -v '^fault [^ ]*[.]html'
! grep '^fault [^ ]*:' "$out/seen" | grep -qv '^fault [^ ]*[.]html'
say $? console "a page says something there"

# ---- the search, and what students are led to ----

found() { # words to look for
    sh "$here/pages.sh" dom "$folder/search.html?q=$1" 2>/dev/null | tr '\n' ' ' |
        sed 's/.*<ol id="results">//; s|</ol>.*||' | grep -o 'href="[^"]*' | sed 's/href="//; 1q'
}
first=$(found cudamallocpitch)
echo "$first" | grep -q '^lab2-coalescing.html#'
say $? search "cudaMallocPitch leads to \"$first\" first, and not to lab 2"
[ -z "$(found 'no+such+wordatall')" ]
say $? search "it finds a word that no handout has"
! grep -q 'href="common-\|href="grader-\|href="new-lab' "$folder/lab3-bank-conflicts.html"
say $? "navigation of a student's page" "it lists pages of instructors"
grep -q 'href="lab3-bank-conflicts.pdf"' "$folder/lab3-bank-conflicts.html"
say $? "lab3-bank-conflicts.html" "no link to its PDF file"

# ---- formulas ----

for text in $(grep -l '^```math\|\$`' handouts/*.md); do
    page=$folder/$(basename "$text" .md).html
    [ "$(grep -o '^```math\|\$`' "$text" | wc -l)" = "$(grep -o '<math' "$page" | wc -l)" ] && ! grep -q '\$<code' "$page"
    say $? "formulas of $(basename "$page")" "they are not MathML"
done
grep -o '<math display="block".*</math>' "$folder/lab10-primitives.html" | grep -q '<mfrac>.*<msup>.*∑'
say $? "lab10-primitives.html" "softmax is no fraction of powers and their sum"

# ---- paper ----

for pdf in "$folder"/*.pdf; do
    pages=$(grep -ac '/Type /Page$\|/Type /Page[^s]' "$pdf")
    [ "$pages" -gt 0 ]
    say $? "$(basename "$pdf")" "it has no pages"
    ! grep -aq 'file://' "$pdf"
    say $? "$(basename "$pdf")" "it links to a file of this machine"
done
[ "$(grep -ac '/Type /Page$\|/Type /Page[^s]' "$folder/primer.pdf")" -le 2 ]
say $? primer.pdf "it takes more than one sheet of paper: style.css, @page sheet"

# ---- the check itself: a page with one fault is found out, and the same page without it is not ----

planted=$out/planted
mkdir -p "$planted"
sed 's/ href="[^"#]*[.]\(html\|pdf\)[^"]*"//g' "$folder/primer.html" >"$planted/good.html" # the pages that it links to are not there
plant() { sed "$2" "$planted/good.html" >"$planted/$1.html"; }
plant wide 's|</main>|<p style="white-space: nowrap">one line that is much longer than any phone is wide, and longer than a screen</p>&|'
plant pale 's|</main>|<p style="color: #999; background: #aaa">pale letters</p>&|'
plant dark 's|</style>|@media (prefers-color-scheme: dark) { p { color: #333 } }&|'
plant broken 's|data:image/svg+xml,|&broken|'
plant nameless 's|alt="[^"]*"|alt=""|'
plant outside 's|</main>|<img src="https://example.invalid/x.png" alt="x">&|'
plant link 's|</main>|<a href="nowhere.html">x</a>&|'
plant anchor 's|</main>|<a href="#nowhere">x</a>&|'
plant drawing 's|%231f2328|%23eeeeee|g'
plant error 's|</main>|<script>undefined_function()</script>&|'
plant empty '/<main>/,/<\/main>/d'
look "$planted" >"$out/planted.seen"
finds() { # page, what
    grep "^fault $1[.]html" "$out/planted.seen" | grep -q "$2"
    say $? "planted $1" "the check did not see it"
}
finds wide 'px wide'
finds pale 'contrast'
finds dark 'contrast.*, dark'
finds broken 'does not load'
finds nameless 'no words'
finds outside 'not part of the page'
finds link 'no page'
finds anchor 'is not there'
finds drawing 'in the drawing'
finds empty 'no text'
grep -q '^fault console: .*undefined_function' "$out/planted.seen"
say $? "planted error" "the check did not see it"
! grep '^fault good[.]html' "$out/planted.seen"
say $? "the page without a fault" "the check sees one"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
