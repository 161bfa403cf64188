#!/bin/sh
# pages.sh - handouts as pages that need nothing but themselves:
#   pages.sh list                    group|source|name|title of every page, in reading order
#   pages.sh html LIST SOURCE OUT    one page, with all that it shows in it
#   pages.sh search LIST PAGE... OUT the page that looks for words in all pages
#   pages.sh pdf PAGE.html OUT.pdf   the same on paper, printed by Chromium
#   pages.sh files FOLDER            copies what the pages in FOLDER link to and is no page
#   pages.sh dom PAGE.html [dark]    what a page has become when its scripts are done; its console's words on stderr
#   pages.sh browser                 the Chromium that works here, or the sentence that says what to install
# Every .md file of the kit is a page, so that links between them lead somewhere.
here=$(dirname "$0")

page_name() {
    case $1 in
    README.md) echo index ;;
    *) echo "$1" | sed 's|^handouts/||; s|/|-|g; s|[.]md$||' ;;
    esac
}

group() { # name, sources...
    name=$1
    shift
    for source; do
        [ -e "$source" ] || continue
        # A title up to its first comma is short enough for a list.
        echo "$name|$source|$(page_name "$source")|$(sed -n 's/^# //p; 1q' "$source" | sed 's/,.*//')"
    done
}

list() {
    first="README.md handouts/primer.md handouts/student.md handouts/measuring.md"
    labs=$(find handouts -name 'lab*.md' | sort -V)
    # shellcheck disable=SC2086
    {
        group Start $first
        group Labs $labs
        group Teaching handouts/instructor.md $(find handouts -name '*.md' | sort | grep -vxF "$(printf '%s\n' $first $labs handouts/instructor.md)")
        group 'Behind it' $(find common grader -name '*.md' | sort)
    }
}

html() { # list, source, out, more of pandoc's options
    list=$1 source=$2 out=$3
    shift 3
    name=$(basename "$out" .html)
    title=$(awk -F '|' -v source="$source" '$2 == source { print $4 }' "$list")
    awk -v page="$name" -f "$here/page.awk" "$list" "$here/style.css" "$here/template.html" >"$out.template" &&
        pandoc -f gfm -t html5 --standalone --mathml --toc --toc-depth 2 --wrap none --template "$out.template" -M source="$source" \
            -M pagetitle="${title:-Search}$([ "$name" = index ] || echo ' · Warpstep')" --lua-filter "$here/filter.lua" \
            --syntax-definition "$here/cuda.xml" "$@" "$source" -o "$out" && rm "$out.template"
}

search() { # list, pages..., out
    list=$1
    shift
    for out; do :; done
    {
        echo '<script>'
        echo 'const SECTIONS = ['
        awk -f "$here/search.awk" "$list" $(printf '%s\n' "$@" | sed '$d')
        echo '];'
        cat "$here/search.js"
        echo '</script>'
    } >"$out.script" && html "$list" "$here/search.markdown" "$out" --include-after-body "$out.script" && rm "$out.script"
}

browser() {
    for candidate in "$CHROMIUM" chromium chromium-browser google-chrome-stable google-chrome; do
        # Ubuntu's chromium-browser is a script that asks for a snap.
        [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && "$candidate" --version 2>/dev/null | grep -qi '^chrom\|^google' ||
            continue
        echo "$candidate"
        return
    done
    echo "no Chromium: install the package chromium (Debian, Fedora) or Google Chrome (Ubuntu, whose own package is a snap), or set CHROMIUM"
    return 1
}


# Pages are our own: no sandbox, which Chromium cannot have as root.
headless() { # options
    profile=$(mktemp -d) || exit 2
    trap 'rm -rf "$profile"' EXIT
    timeout 900 "$(browser)" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$profile" "$@"
}

# Frames may look into each other.
dom() { # page, dark
    headless --allow-file-access-from-files --blink-settings=preferredColorScheme=$([ "${2:-}" = dark ] && echo 0 || echo 1) \
        --window-size=1400,1000 --enable-logging=stderr --virtual-time-budget=600000 --dump-dom "file://$(realpath "$1")"
}

pdf() { # page, out
    # On paper answers are open, and a link to another page would be the name of a file on this machine.
    sed 's/<details>/<details open>/g; s/<a href="[^"#:]*\(#[^"]*\)\{0,1\}"/<a/g' "$1" >"$2.html" &&
        headless --no-pdf-header-footer --generate-pdf-document-outline --print-to-pdf="$2" "file://$(realpath "$2.html")" >"$2.log" 2>&1 && [ -s "$2" ] || { cat "$2.log"; exit 1; }
    rm -f "$2.html" "$2.log"
}

files() { # folder
    for file in $(grep -oh 'href="files/[^"#]*' "$1"/*.html | sed 's|^href="files/||' | sort -u); do
        mkdir -p "$1/files/$(dirname "$file")" && cp "$file" "$1/files/$file" || return 1
    done
}

"$@"
