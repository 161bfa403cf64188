#!/bin/sh
# page_test.sh - are the pictures of pages what the kit draws today? page_test.sh FOLDER
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0
said=$(sh "$here/page.sh" "$1")
status=$?
if [ $status = 3 ]; then
    echo "skipped: $said"
    echo "0 passed, 0 failed"
    exit 0
fi
for name in page-now page-before page-timeline page-memory; do
    if cmp -s "$1/$name.svg" "$here/$name.svg"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name.svg: it is not what a page has today: make pictures. $said"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
