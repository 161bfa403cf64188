#!/bin/sh
# run.sh - the suite of tapes: run.sh PROBE FOLDER
# The machine against its tape, in C; then the player's script against the machine, in headless Chromium where there is one.
here=$(cd "$(dirname "$0")" && pwd)
probe=$1 folder=$2
rm -f "$folder"/*.html
said=$("$probe" "$folder") || { echo "$said"; exit 1; }
echo "$said" | grep -v ' passed, '
passed=$(echo "$said" | sed -n 's/ passed, .*//p') failed=0
pages=$here/../../../../handouts/pages/pages.sh
browser=$(sh "$pages" browser) || { echo "skipped the player's script: $browser"; browser=; }
for page in "$folder"/*.html; do
    [ -n "$browser" ] || break
    { sed '/<\/body>/,$d' "$page"; echo '<script>'; cat "$here/check.js"; echo '</script></body></html>'; } >"$folder/checked.html"
    sh "$pages" dom "$folder/checked.html" >"$folder/dom" 2>"$folder/stderr"
    answer=$(sed -n 's/.*<p>\(equal [0-9]* of [0-9]* values at [0-9]* steps\).*/\1/p' "$folder/dom" | tail -n 1)
    set -- $answer
    if [ "${2:-0}" -gt 0 ] && [ "$2" = "$4" ]; then
        passed=$((passed + 1)) steps=$((${steps:-0} + $7))
        echo "pass $(basename "$page" .html): $answer"
    else
        failed=$((failed + 1))
        echo "FAIL $(basename "$page" .html): ${answer:-the script did not come to its end: $(tail -n 1 "$folder/stderr")}"
    fi
done
rm -f "$folder/checked.html"
echo "steps at which the player's state was compared: ${steps:-0}"
if [ -n "$browser" ] && [ "${steps:-0}" -lt 1000 ]; then
    failed=$((failed + 1))
    echo "FAIL steps: fewer than 1000"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
