#!/bin/sh
# page.sh - the pages that ./grade explain --html and VGPU_REPORT write: page.sh FOLDER PROGRAM BUGS STAGE...
# A page of the solution for each stage (lab3.3), one of a program that was compiled for the virtual GPU, one of each of some programs
# in BUGS with what the checker finds in them, and what is said where none can be written. Then all of them in a browser:
# common/page/tests/look.sh.
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 program=$2 bugs=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder" || exit 2
passed=0 failed=0 pages=
say() { # truth, case, why
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "pass $2"; else failed=$((failed + 1)); echo "FAIL $2: $3"; fi
}

for stage; do
    words=$("$root/grade" explain "$stage" --solution --gpu h200 --html "$folder/$stage.html" 2>&1)
    [ $? = 0 ] && [ -s "$folder/$stage.html" ] && [ "$(stat -c %a "$folder/$stage.html")" = "$(printf %o $((0666 & ~0$(umask))))" ]
    say $? "$stage is written" "$words"
    pages="$pages $stage.html"
done
[ $# -gt 0 ] && {
    grep -q '"reference":{"warp_instructions":' "$folder/$1.html"
    say $? "the reference's counters are there" "$1.html"
    grep -q '"gpu":"t4","time_us":' "$folder/$1.html"
    say $? "other GPUs are there" "$1.html"
    ! grep -q "$(printf '%s' "${TMPDIR:-/tmp}")/" "$folder/$1.html"
    say $? "no temporary folder is named" "$1.html"
    words=$("$root/grade" explain "$1" --solution --html /nowhere/at/all.html 2>&1)
    [ $? = 2 ] && echo "$words" | grep -q '/nowhere/at/all.html cannot be written: No such file'
    say $? "a page that cannot be written is told" "$words"
    words=$("$root/grade" explain "${1%.*}" --stage 2,3 --html "$folder/two.html" 2>&1)
    [ $? = 2 ] && echo "$words" | grep -q 'a page is about one stage'
    say $? "a page is about one stage" "$words"
}

# A pipeline: what engines did over time is there, and the host; what the terminal says of it is there in words.
for stage; do
    case $stage in lab8.8 | lab8.9)
        grep -q '"pipeline":{"total_us":.*"host":\[\[.*"spans":\[\[1,' "$folder/$stage.html"
        say $? "$stage shows copies and kernels over time" "$stage.html"
        "$root/grade" explain "$stage" --solution --gpu h200 >"$folder/said" 2>&1
        ! grep -q 'Kernels take' "$folder/said" || grep -q '"pipeline_words":\["Kernels take' "$folder/$stage.html"
        say $? "$stage says where its time goes, as the terminal does" "$(cat "$folder/said")" ;;
    esac
done

# A kernel with several things to fix: the browser sees below that they are sorted by what they gain.
words=$("$root/grade" explain lab2.strided --virtual --file "$root"/common/lab/skeletons/lab2-*/lab2.cu --html "$folder/rules.html" 2>&1)
[ "$(grep -o '"gain":' "$folder/rules.html" | wc -l)" -ge 2 ]
say $? "what could be fixed is there, with what it gains" "$words"
pages="$pages rules.html"

# A missing barrier: the page shows the step in which a thread reads what nobody has written yet.
cp "$root"/solutions/lab3-*/lab3.cu "$folder/lab3.cu"
(cd "$folder" && patch -s -p1 lab3.cu "$root/grader/tests/mistakes/lab3/missing-barrier.patch")
words=$("$root/grade" explain lab3.tiled --virtual --file "$folder/lab3.cu" --html "$folder/barrier.html" 2>&1)
grep -q '"moment":{' "$folder/barrier.html" && grep -q '"kind":"race-read-after-write"' "$folder/barrier.html"
say $? "a race can be played" "$words"
[ "$(grep -o '"sources":{.*' "$folder/barrier.html" | grep -o '__syncthreads();' | wc -l)" = "$(grep -c '__syncthreads();' "$folder/lab3.cu")" ]
say $? "the source is the student's" "barrier.html"
pages="$pages barrier.html"

words=$(VGPU_REPORT=$folder/program.html "$program" 2>&1)
echo "$words" | grep -q "vgpu: the report is $folder/program.html"
say $? "the report of a program is told" "$words"
pages="$pages program.html"
words=$(VGPU_REPORT=/nowhere/at/all.html "$program" 2>&1)
echo "$words" | grep -q "the report /nowhere/at/all.html cannot be written: No such file"
say $? "a report that cannot be written is told" "$words"
words=$("$program" 2>&1)
! echo "$words" | grep -q 'vgpu: the report'
say $? "nobody asked, nothing is written" "$words"

# A dozen stages side by side under the roof: each has its name, and none lies on another.
crowd=$(awk 'BEGIN { for (i = 1; i <= 12; i++) printf "{\"name\":\"stage_with_a_name_%d\",\"time_us\":%d,\"flop\":268435456,\"bytes\":1073741824},", i, 1300 + 30 * i }')
[ ! -s "$folder/lab4.4.html" ] || {
    sed "s/\"points\":\[/&${crowd}/; s/,\]/]/" "$folder/lab4.4.html" >"$folder/crowded.html"
    grep -q 'stage_with_a_name_12' "$folder/crowded.html"
    say $? "a roofline of many stages" "crowded.html"
    pages="$pages crowded.html"
}

# What the checker finds in a program is on its page, also what it finds when all is over, and also where no kernel came to its end.
for bug in race_read_after_write:race-read-after-write leak:leak global_write_past_end:out-of-bounds; do
    page=${bug%:*}.html
    VGPU_CHECK=full VGPU_REPORT=$folder/$page "$bugs/${bug%:*}" >"$folder/said" 2>&1
    grep -q "\"findings\":\[.*\"kind\":\"${bug#*:}\".*\"place\":\"[^\"]*${bug%:*}[.]cu:[0-9]" "$folder/$page"
    say $? "the page of ${bug%:*} has what the checker found" "$(cat "$folder/said")"
    pages="$pages $page"
done

looked=$(sh "$root/common/page/tests/look.sh" "$folder" $pages)
echo "$looked"
passed=$((passed + $(echo "$looked" | grep -c '^pass '))) failed=$((failed + $(echo "$looked" | grep -c '^FAIL ')))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
