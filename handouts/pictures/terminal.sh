#!/bin/sh
# terminal.sh - a picture of what a command shows on a terminal: terminal.sh 'TITLE' COMMAND... >picture.svg
# Runs the command in a pseudo-terminal (script of util-linux) and draws its text, bold and colours as SVG. FILTER=COMMAND: what
# goes through that. Its line that tells what is being done is on stderr, and left out.
title=$1
shift
script -qec "$* 2>/dev/null" /dev/null </dev/null | tr -d '\r' | sh -c "${FILTER:-cat}" | awk -v title="$title" '
function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function span(text) { return text == "" ? "" : "<tspan" style ">" escape(text) "</tspan>" }
function apply(code) { style = code in styles ? styles[code] : "" }
function draw(line,   out) {
    while (match(line, /\033\[[0-9;]*m/)) {
        out = out span(substr(line, 1, RSTART - 1))
        apply(substr(line, RSTART + 2, RLENGTH - 3))
        line = substr(line, RSTART + RLENGTH)
    }
    return out span(line)
}
BEGIN {
    styles["1"] = " font-weight=\"bold\""; styles["2"] = " fill=\"#8b949e\""; styles["31"] = " fill=\"#ff7b72\""
    styles["32"] = " fill=\"#7ee787\""; styles["33"] = " fill=\"#e3b341\""
    lines[++count] = "<tspan fill=\"#8b949e\">$ </tspan><tspan>" escape(title) "</tspan>"
}
{ lines[++count] = draw($0) }
END {
    width = 860; height = 20 * count + 40
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width, height, width, height
    printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    # Browsers of today look at white-space, older viewers at xml:space.
    print "<style>text { white-space: pre }</style>"
    printf "<g font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" fill=\"#e6edf3\" xml:space=\"preserve\">\n"
    for (i = 1; i <= count; i++)
        printf "<text x=\"20\" y=\"%d\">%s</text>\n", 20 * i + 12, lines[i]
    print "</g>\n</svg>"
}'
