# svg.awk - what the drawings share: shapes, words, colours for light and dark pages, and a GPU's figures.
# A drawing NAME.awk calls begin_svg() in its BEGIN, draws, and ends with end_svg(). Colours are classes: a (blue), b (orange),
# c (green), d (violet), bad (red), off (an outline only). Lengths are pixels, y grows downwards. The background is the page's.

function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }

function begin_svg(width, height, title, description) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\" "
    printf "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width, height, width, height
    printf "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escape(title), escape(description)
    print "<style>"
    print "text { font: 14px system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #1f2328 }"
    print ".head { font-size: 16px; font-weight: 600 } .small { font-size: 12px } .tiny { font-size: 11px }"
    print ".mono { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace }"
    print ".dim { fill: #59636e } .strong { font-weight: 600 }"
    print ".mid { text-anchor: middle } .end { text-anchor: end }"
    print "rect, path, line, circle, polygon { stroke-width: 1.2 } .bold { stroke-width: 2.5 } .dash { stroke-dasharray: 4 4 }"
    palette("", "#8c959f", "#dbeafe", "#2563eb", "#ffedd5", "#c2570c", "#dcfce7", "#15803d", "#f3e8ff", "#7e22ce", "#fee2e2", "#c81e1e")
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #e6edf3 } .dim { fill: #a5adb6 }"
    palette("", "#7d8590", "#1c3a63", "#6cb0ff", "#55300f", "#fb9a4b", "#14432a", "#4ade80", "#3d2361", "#c99bff", "#5b1a1a", "#ff8080")
    print "}\n</style>"
}

function palette(unused, rule, af, as, bf, bs, cf, cs, df, ds, xf, xs) {
    printf ".off { fill: none; stroke: %s } .wire { fill: none; stroke: %s } .tip { fill: %s; stroke: none }\n", rule, rule, rule
    shade("a", af, as); shade("b", bf, bs); shade("c", cf, cs); shade("d", df, ds); shade("bad", xf, xs)
}

function shade(name, fill, stroke) {
    printf ".%s { fill: %s; stroke: %s } .w%s { fill: none; stroke: %s } .t%s { fill: %s; stroke: none }\n", name, fill, stroke, name, stroke, name, stroke
    printf "text.%s { fill: %s; stroke: none }\n", name, stroke
}

function end_svg() { print "</svg>" }

function n(value,   text) { text = sprintf("%.1f", value); sub(/\.0$/, "", text); return text }

function rect(x, y, width, height, class, round) {
    printf "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"%s class=\"%s\"/>\n", n(x), n(y), n(width), n(height), (round ? " rx=\"" round "\"" : ""), class
}

function text(x, y, words, class) {
    printf "<text x=\"%s\" y=\"%s\"%s>%s</text>\n", n(x), n(y), (class == "" ? "" : " class=\"" class "\""), escape(words)
}

# A box with words in its middle.
function box(x, y, width, height, words, class, how) {
    rect(x, y, width, height, class)
    text(x + width / 2, y + height / 2 + (how ~ /tiny/ ? 4 : how ~ /small/ ? 4.5 : 5), words, "mid" (how == "" ? "" : " " how))
}

function wire(x1, y1, x2, y2, class) {
    printf "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>\n", n(x1), n(y1), n(x2), n(y2), (class == "" ? "wire" : class)
}

# colour: a to d, bad, or "" for the quiet one.
function arrow(x1, y1, x2, y2, colour,   length_, dx, dy) {
    length_ = sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
    dx = (x2 - x1) / length_; dy = (y2 - y1) / length_
    wire(x1, y1, x2 - 6 * dx, y2 - 6 * dy, colour == "" ? "wire" : "w" colour)
    printf "<polygon points=\"%s,%s %s,%s %s,%s\" class=\"%s\"/>\n", n(x2), n(y2), n(x2 - 8 * dx + 4 * dy), n(y2 - 8 * dy - 4 * dx), \
        n(x2 - 8 * dx - 4 * dy), n(y2 - 8 * dy + 4 * dx), (colour == "" ? "tip" : "t" colour)
}

function dot(x, y, radius, class) { printf "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" class=\"%s\"/>\n", n(x), n(y), n(radius), class }

function path(data, class) { printf "<path d=\"%s\" class=\"%s\"/>\n", data, class }

# A figure of the profile that FIGURES names: gpu("sms").
function gpu(key,   line, f) {
    if (!("sms" in figures))
        while ((getline line < FIGURES) > 0)
            if (split(line, f, / *= *| *# */) >= 2)
                figures[f[1]] = f[2]
    return figures[key]
}

# A row of a recorded CSV: the last but `unit` cells, name in front.
function measured(file, name,   line, f, count, value) {
    while ((getline line < file) > 0) {
        if (index(line, name ",") != 1)
            continue
        count = split(substr(line, length(name) + 2), f, ",")
        value = f[1]
    }
    close(file)
    if (value == "") {
        print "no " name " in " file > "/dev/stderr"
        exit 1
    }
    return value
}
