#!/bin/sh
# embed.sh - turns files into a text of a C program: embed.sh NAME FILE... >> parts.c
# They come one after another, in the order of the arguments.
name=$1
shift
printf 'extern const char %s[];\nconst char %s[] =\n' "$name" "$name"
cat "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/'
echo ';'
