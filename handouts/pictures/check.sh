#!/bin/sh
# check.sh - is a drawing fit to be shown: check.sh PICTURE.svg
# Well-formed (by xmllint where there is one, else tags that open and close), a title and a description, no background of its own,
# colours for dark pages, and no words beyond its edge as far as their length can be guessed.
awk '
    /<title/ { has_title = 1 } /<desc/ { has_desc = 1 } /prefers-color-scheme: dark/ { is_dark = 1 }
    /width="100%"/ { why = "it has a background" }
    /^<svg/ { match($0, /viewBox="0 0 [0-9]+/); width = substr($0, RSTART + 13, RLENGTH - 13) + 0 }
    /^<text/ {
        match($0, / x="[-0-9.]+/); x = substr($0, RSTART + 4, RLENGTH - 4) + 0
        words = $0; sub(/^<text[^>]*>/, "", words); sub(/<\/text>.*/, "", words); gsub(/&[a-z]+;/, "x", words); gsub(/[\200-\277]/, "", words)
        size = $0 ~ /head/ ? 16 : $0 ~ /small/ ? 12 : $0 ~ /tiny/ ? 11 : 14
        long = length(words) * size * ($0 ~ /mono/ ? 0.6 : 0.5)
        left = $0 ~ /class="[^"]*mid/ ? x - long / 2 : $0 ~ /class="[^"]*end/ ? x - long : x
        if (left < -1 || left + long > width + 1) why = "words beyond its edge: " words
    }
    {
        line = $0
        while (match(line, /<[^>]*>/)) {
            tag = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
            if (tag ~ /^<\//) { name = substr(tag, 3, length(tag) - 3); if (stack[depth--] != name) why = "</" name "> closes another tag" }
            else if (tag !~ /\/>$/) { name = substr(tag, 2); sub(/[ >].*/, "", name); stack[++depth] = name }
        }
        if (line ~ /[<>]/ || line ~ /&[^a-z#]/) why = "a bare < > or &: " $0
    }
    END {
        if (!width) why = "it is no drawing"
        if (depth) why = "<" stack[depth] "> is not closed"
        if (!has_title || !has_desc) why = "it has no title or no description"
        if (!is_dark) why = "it has no colours for dark pages"
        if (why) { print FILENAME ": " why; exit 1 }
    }' "$1" || exit 1
if command -v xmllint >/dev/null 2>&1; then xmllint --noout "$1"; fi
