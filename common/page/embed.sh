#!/bin/sh
# embed.sh - turns the page's styles and scripts into one C file: embed.sh STYLE.css SCRIPT.js... > parts.c
# Scripts come one after another, in the order of the arguments.
embed() { # name file...
    name=$1
    shift
    printf 'const char %s[] =\n' "$name"
    cat "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/'
    echo ';'
}
echo '/* Made by embed.sh. */'
echo '#include "page/parts.h"'
style=$1
shift
embed page_css "$style"
embed page_js "$@"
