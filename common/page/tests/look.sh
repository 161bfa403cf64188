#!/bin/sh
# look.sh - opens pages that the kit wrote in headless Chromium: look.sh FOLDER PAGE.html...
# At the widths of a phone and of a screen, in light and in dark colours, with all that can be used in them; each must have less than
# 2 MB. Says "pass PAGE" or "FAIL PAGE: why". FOLDER holds the pages. CHECK: scripts that look into pages of another kind than kernels',
# instead of check.js.
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
pages=$here/../../../handouts/pages
lacking=$(sh "$pages/pages.sh" browser) || { echo "skipped: $lacking"; exit 0; }
{
    echo '<!doctype html><meta charset="utf-8"><title>check</title><body><script>'
    echo 'const WIDTHS = [360, 1280];'
    echo "const PAGES = [$(printf '"%s",' "$@")];"
    # shellcheck disable=SC2086
    cat "$pages/readable.js" ${CHECK:-"$here/check.js"} "$here/frames.js"
    echo '</script>'
} >"$folder/check.html"
for scheme in light dark; do
    sh "$pages/pages.sh" dom "$folder/check.html" $scheme >"$folder/dom" 2>"$folder/stderr"
    sed -n 's/.*\(fault .*\)/\1/p; s/.*\(checked .*\)/\1/p' "$folder/dom"
    grep -a 'CONSOLE' "$folder/stderr" | sed 's/.*CONSOLE[^]]*\] */fault console: /'
done >"$folder/seen"
rm -f "$folder/check.html"
for scheme in light dark; do
    if grep -q "^checked $((2 * $#)), $scheme" "$folder/seen"; then
        echo "pass $scheme"
    else
        echo "FAIL $scheme: the check did not come to its end: $(tail -n 1 "$folder/stderr")"
    fi
done
for page; do
    bytes=$(wc -c <"$folder/$page")
    if grep -q "^fault $page" "$folder/seen"; then
        echo "FAIL $page: $(grep "^fault $page" "$folder/seen" | sort -u | head -n 5)"
    elif [ "$bytes" -ge 2000000 ]; then
        echo "FAIL $page: it has $bytes bytes"
    else
        echo "pass $page, $bytes bytes"
    fi
done
if grep -v "^checked\|^fault [^ ]*[.]html" "$folder/seen"; then
    echo "FAIL console: see above"
else
    echo "pass console"
fi
