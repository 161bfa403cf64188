#!/bin/sh
# page.sh - draws pictures of the page that ./grade explain --html writes: page.sh FOLDER
# They are the page's own drawings of stage 3 of lab 3, solved: FOLDER/page-now.svg and page-before.svg, its accesses to shared memory and those of the
# stage before, page-timeline.svg and page-memory.svg. Needs Chromium, which draws them; ends with 3 where there is none.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
lacking=$(sh "$root/handouts/pages/pages.sh" browser) || { echo "$lacking"; exit 3; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" || exit 2
"$root/grade" explain lab3.3 --solution --gpu h200 --html "$work/page.html" >"$work/said" 2>&1 || { cat "$work/said"; exit 2; }

# The drawing number $1 of the section that begins with $2, as a file of its own with the page's colours.
draw() { # number, section, file
    {
        sed '/<\/body>/,$d' "$work/page.html"
        cat <<EOF
<script>
{
const part = [...document.querySelectorAll("section")].find((one) => one.textContent.startsWith("$2"));
const drawing = part.querySelectorAll("svg")[$1], style = document.querySelector("style").textContent;
const colours = style.slice(0, style.indexOf("* {")).replaceAll(":root", "svg");
drawing.removeAttribute("aria-labelledby");
drawing.setAttribute("xmlns", "http://www.w3.org/2000/svg");
drawing.querySelectorAll("title, desc").forEach((one) => one.removeAttribute("id"));
drawing.insertBefore(document.createElementNS("http://www.w3.org/2000/svg", "style"), drawing.firstChild).textContent =
    colours + "text { fill: var(--ink); font: 11px sans-serif; } .soft { fill: var(--soft); } .strong { font-weight: 600; } .memory { fill: rgba(var(--heat), calc(var(--share) * var(--strength))); stroke: var(--soft); } .tiny { font-size: 8px; fill: var(--paper); text-anchor: middle; }";
document.body.replaceChildren(document.createElement("pre"));
document.body.firstChild.textContent = new XMLSerializer().serializeToString(drawing);
}
</script></body></html>
EOF
    } >"$work/one.html"
    sh "$root/handouts/pages/pages.sh" dom "$work/one.html" 2>"$work/stderr" |
        sed -n '/<pre>/,/<\/pre>/p' | sed 's/.*<pre>//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | sed 's/></>\n</g' >"$out/$3"
    [ -s "$out/$3" ] || { echo "$3 could not be drawn"; exit 2; }
}
draw 0 "What accesses look like" page-now.svg
draw 1 "What accesses look like" page-before.svg
draw 0 "One SM over time" page-timeline.svg
draw 0 "Memory chart" page-memory.svg
