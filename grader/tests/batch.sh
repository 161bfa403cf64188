#!/bin/sh
# batch.sh - batches lose nobody: attacks and honest files in two batches at once, errors of the kit that are tried again, a
# batch killed at any moment, full disks, and whatever a folder can hold: batch.sh FOLDER
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
. "$root/grader/tests/store.sh"
solution=$root/solutions/lab3-bank-conflicts/lab3.cu

rows() { # what results count pattern: so many rows are like this
    count=$(grep -cE -- "$4" "$2/results.csv")
    if [ "$count" = "$3" ]; then pass "$1"; else fail "$1" "$count rows are like $4, not $3" "$2/results.csv"; fi
}
start() { # name arguments...: a batch in the background; its report goes to NAME.log, its number to $pid
    name=$1
    shift
    "$root/grade" batch lab3 "$@" --virtual >"$name.log" 2>&1 </dev/null &
    pid=$!
}
finish() { # name pid
    wait "$2"
    status=$?
    cp "$1.log" "$out"
}

own_solution() { # path: a text of its own
    { cat "$solution"; echo "// $1"; } >"$1"
}

# ---- attacks in one batch, honest files in another, at the same time ----

mkdir -p bombs honest
submission '' 'for (;;) fork();' ''
cp bad.cu bombs/fork.cu
submission '' 'for (;;) { void *p = mmap(0, 1 << 26, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); if (p != MAP_FAILED) memset(p, 1, 1 << 26); }' \
    '#include <sys/mman.h>
#include <string.h>'
cp bad.cu bombs/memory.cu
submission '' 'for (const char *where : {".", "/tmp", "/dev/shm", "/var/tmp"}) for (int i = 0; i < 400; i++) {
        char name[80]; sprintf(name, "%s/filler-%d", where, i); FILE *f = fopen(name, "w");
        for (int k = 0; f && k < 1 << 12 && fwrite(block, sizeof block, 1, f) == 1; k++) ; if (f) fclose(f); }' \
    'static char block[4096];'
cp bad.cu bombs/disk.cu
cp "$root/grader/tests/attacks/lab3/daemon.cu" "$root/grader/tests/attacks/lab3/include-zero.cu" \
    "$root/grader/tests/attacks/lab3/template-bomb.cu" bombs/
for i in 1 2; do own_solution "honest/h$i.cu"; done
start bombs bombs --stage tiled --out bombs-results
bombs=$pid
start honest honest --out honest-results
honest=$pid
finish honest "$honest"
expect "honest files beside attacks" 0 "2 submissions, 0 errors"
rows "honest files beside attacks" honest-results 2 ',100,100,10,.*,graded,'
finish bombs "$bombs"
expect "attacks beside honest files" 0 "6 submissions, 0 errors"
rows "attacks beside honest files" bombs-results 6 '^[a-z-]*,0,100,0,0,'

# Jobs of root's graders have users of their own, 64 for each, and cgroups that bear the grader's number.
left=$(
    for process in /proc/[0-9]*; do
        user=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "$process/status" 2>/dev/null)
        for grader in $bombs $honest; do
            first=$((0x70000000 + grader * 64))
            [ "${user:-0}" -lt "$first" ] || [ "$user" -ge $((first + 64)) ] || tr '\0' ' ' <"$process/cmdline"
        done
    done 2>/dev/null
    ls "$TMPDIR"
    find /tmp /var/tmp /dev/shm -maxdepth 1 -name 'filler-*' 2>/dev/null
    find /sys/fs/cgroup -maxdepth 3 -name "warpstep-$bombs-*" -o -maxdepth 3 -name "warpstep-$honest-*" 2>/dev/null
)
if [ -z "$left" ]; then pass "nothing is left behind"; else fail "nothing is left behind" "$left"; fi

# ---- errors of the kit are tried again, and never become a zero ----

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p tools/bin again
cat >tools/bin/nvcc <<END
#!/bin/sh
[ -e "$folder/tools/mended" ] && exec $nvcc "\$@"
echo "nvcc fatal   : Memory allocation failure" >&2
exit 1
END
chmod +x tools/bin/nvcc
for name in a b; do own_solution "again/$name.cu"; done
NVCC=$folder/tools/bin/nvcc start again again --stage tiled
until [ "$(grep -c '^[ab],.*,error,' again/results/results.csv 2>/dev/null)" = 2 ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
cp again/results/results.csv first.csv
touch tools/mended
finish again "$pid"
expect "a compiler that is mended meanwhile" 0 "error of the kit" "2 submissions, 0 errors"
rows "it was graded again" again/results 2 '^[ab],30,100,0,30,.*,graded,'
if [ "$(grep -c '^[ab],,100,,,,,,error,' first.csv)" = 2 ]; then pass; else fail "an error is no zero" "it was" first.csv; fi

# The keeper of a compiler is killed from outside, once.
mkdir killed
cp "$solution" killed/a.cu
start killed killed --stage tiled
keeper=
until [ -n "$keeper" ] || ! kill -0 "$pid" 2>/dev/null; do
    for process in /proc/[0-9]*; do
        case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in "$TMPDIR"/warpstep.*/kit/keeper\ *nvcc*) keeper=${process#/proc/} ;; esac
    done
done
kill -KILL "$keeper"
finish killed "$pid"
expect "a keeper that is killed" 0 "error of the kit" "1 submission, 0 errors"
rows "it was graded again" killed/results 1 '^a,30,100,0,30,.*,graded,'

# A process that grades a submission is killed, and with it all that it began; the others go on.
mkdir workers
for name in a b; do own_solution "workers/$name.cu"; done
start workers workers --stage tiled -j 2
worker= # not before the batch has its store: what it begins then are workers
until [ -n "$worker" ] || ! kill -0 "$pid" 2>/dev/null; do
    [ ! -e workers/results/results.db ] || worker=$(pgrep -P "$pid" -x grade | head -n 1)
done
sleep 0.5
kill -KILL "$worker"
finish workers "$pid"
expect "a worker that is killed" 0 "The process that graded it was killed" "2 submissions, 0 errors"
rows "it was graded again" workers/results 2 '^[ab],30,100,0,30,.*,graded,'
left=$(find /sys/fs/cgroup -maxdepth 3 -name "warpstep-$worker-*" 2>/dev/null; pgrep -f "$TMPDIR/warpstep")
if [ -z "$left" ]; then pass "a killed worker leaves nothing behind"; else fail "a killed worker leaves nothing behind" "$left"; fi

# ---- who only waits keeps nobody from being graded ----

mkdir waits
submission '' 'for (;;) pause();' '#include <unistd.h>'
cp bad.cu waits/a.cu
own_solution waits/b.cu
start waits waits --stage tiled -j 1
finish waits "$pid"
expect "one that waits for good" 0 "2 submissions, 0 errors"
rows "it has timed out" waits/results 1 '^a,0,100,.*,timed out,'
if [ "$(grep -oE '^[ab] ' waits.log | tr -d '\n')" = "b a " ]; then pass "the next one is graded meanwhile"; else
    fail "the next one is graded meanwhile" "it had to wait" waits.log
fi

# ---- the same text is graded once, and everybody who handed it in has the same ----

mkdir -p alike/ann alike/bob
for copy in alike/ann/lab3.cu alike/bob/Lab3.cu alike/zoe.cu; do cp "$solution" "$copy"; done
{ cat "$solution"; echo "int x = ;"; } | tee alike/carl.cu >alike/dora.cu
start alike alike --stage tiled -j 2
finish alike "$pid"
expect "five of two texts" 0 "5 submissions, 0 errors"
rows "the same text has the same points" alike/results 3 '^(ann|bob|zoe),30,100,0,30,.*,graded,'
rows "the same mistake has the same words" alike/results 2 '^(carl|dora),0,100,0,.*,build failed,lab3.cu does not compile: lab3.cu.[0-9]*.: error'
graded=$(sqlite3 alike/results/results.db 'SELECT count(*) FROM attempt WHERE took_s > 0')
if [ "$graded" = 2 ]; then pass "each text is graded once"; else fail "each text is graded once" "$graded were graded"; fi
if cmp -s alike/results/ann.json alike/results/bob.json && cmp -s alike/results/ann.json alike/results/zoe.json; then pass "so have reports"; else
    fail "so have reports" "ann's, bob's and zoe's differ" alike/results/bob.json
fi
sqlite3 alike/results/results.db "SELECT source, note FROM attempt WHERE student = 'bob'" >"$out"
status=0
expect "what was handed in stays one's own" 0 "bob" "Lab3.cu"

# ---- results do not depend on how many are graded at a time ----

mkdir several
for name in d c b a; do own_solution "several/$name.cu"; done
echo "int x = ;" >several/broken.cu
for jobs in 1 3; do
    start several-$jobs several --stage tiled --out "several-results-$jobs" -j $jobs
    finish several-$jobs "$pid"
    expect "$jobs at a time" 0 "5 submissions, 0 errors"
done
for jobs in 1 3; do store_dump several-results-$jobs >"several-$jobs.txt"; done
if diff -r -x "results.db*" -x backups several-results-1 several-results-3 >"$out" 2>&1 && diff several-1.txt several-3.txt >"$out"; then pass "one and three at a time give the same"; else
    fail "one and three at a time give the same" "they differ" "$out"
fi
for jobs in 0 65 -1 two; do
    "$root/grade" batch lab3 several -j $jobs >"$out" 2>&1
    status=$?
    expect "-j $jobs" 2 "-j wants a number from 1 to 64, not \`$jobs\`"
done

# ---- a batch killed at any moment goes on, and loses no row ----

is_whole() { # results: its rows are whole, as many cells in each
    [ ! -e "$1/results.csv" ] || awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad }' "$1/results.csv"
}
mkdir some
for name in a b c; do own_solution "some/$name.cu"; done
for moment in 0.3 1 2 3; do
    start some some --stage tiled
    sleep "$moment"
    had=$(grep -c '^[abc],30,' some/results/results.csv 2>/dev/null)
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    has=$(grep -c '^[abc],30,' some/results/results.csv 2>/dev/null)
    if is_whole some/results && [ "${has:-0}" -ge "${had:-0}" ]; then pass "killed after $moment s"; else
        fail "killed after $moment s" "rows are lost or broken" some/results/results.csv
    fi
done
# Their folders, and those of graders that were killed at their first step, go with the next command, whichever it is.
mkdir "$TMPDIR/warpstep.marked" "$TMPDIR/warpstep.empty" "$TMPDIR/warpstep.fresh" "$TMPDIR/warpstep.new" "$TMPDIR/warpstep.held"
touch "$TMPDIR/warpstep.marked/alive" "$TMPDIR/warpstep.marked/rest" "$TMPDIR/warpstep.new/alive.new" "$TMPDIR/warpstep.held/alive"
touch -d '5 minutes ago' "$TMPDIR/warpstep.empty" "$TMPDIR/warpstep.new"
exec 9<>"$TMPDIR/warpstep.held/alive"
flock 9
grade results some/results
exec 9>&-
left=$(for name in marked empty fresh new held; do [ ! -e "$TMPDIR/warpstep.$name" ] || echo "$name"; done)
if [ "$(echo $left)" = "fresh held" ]; then pass "folders of killed graders are removed, others stay"; else
    fail "folders of killed graders" "there are $left"
fi
rm -rf "$TMPDIR"/warpstep.*
start some some --stage tiled
finish some "$pid"
expect "a batch that was killed goes on" 0 "3 submissions, 0 errors"
rows "a batch that was killed goes on" some/results 3 '^[abc],30,100,0,30,.*,graded,'

# ---- a full disk under the results ----

rm -r some/results
if [ "$(id -u)" = 0 ] && mkdir disk && mount -t tmpfs -o size=1m none disk 2>/dev/null; then
    start disk some --stage tiled --out disk/results
    until grep -q '^[abc],30,' disk/results/results.csv 2>/dev/null || ! kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    cat /dev/zero >disk/full 2>/dev/null
    finish disk "$pid"
    expect "a full disk under the results" 2 "cannot be written"
    if is_whole disk/results && grep -q '^[abc],30,' disk/results/results.csv; then pass; else
        fail "a full disk under the results" "a row is lost" disk/results/results.csv
    fi
    rm disk/full
    start disk some --stage tiled --out disk/results
    finish disk "$pid"
    expect "it goes on when there is room" 0 "unchanged since they were graded" "3 submissions, 0 errors"
    rows "it goes on when there is room" disk/results 3 '^[abc],30,'
    umount disk
fi

# ---- whatever a folder can hold: see also grade.sh ----

mkdir -p odd/many odd/Ann odd/ann odd/deep/lab3.cu odd/shadows/lab odd/shadows/.git
cp "$solution" odd/Ann/lab3.cu
ln "$solution" odd/hard.cu 2>/dev/null || cp "$solution" odd/hard.cu
echo '#error mine' >odd/ann/lab3.cu
echo '#error mine' >odd/ann.cu
: >odd/empty.cu
head -c 100000000 /dev/zero >odd/huge.cu
touch odd/a.tar.gz odd/b.7z "odd/$(printf 'tab\there.cu')" "odd/ .cu" "odd/..cu" "odd/\$(touch hacked).cu" "odd/%s%n.cu"
for i in $(seq 300); do : >"odd/many/$i.cu"; done
ln -s / odd/root
cp "$solution" odd/shadows/lab3.cu
for name in lab3.h lab/check.h cuda_runtime.h; do echo '#error shadowed' >"odd/shadows/$name"; done
printf 'all grade-lab3:\n\ttouch %s/hacked\n' "$folder" | tee odd/shadows/Makefile >odd/shadows/GNUmakefile
[ "$(id -u)" = 0 ] && mknod odd/device.cu c 1 5
start odd odd --stage tiled --out odd-results
finish odd "$pid"
expect "odd entries" 0 "0 errors"
entries=$(ls -A odd | wc -l)
rows "every entry has a row" odd-results $((entries + 1)) .
rows "a Makefile and headers beside the file count for nothing" odd-results 1 '^shadows,30,'
rows "names that differ in case" odd-results 1 '^Ann,30,'
rows "a folder and a file of one name" odd-results 2 '^"?ann.*,0,100,0,0,.*,build failed,.*mine'
rows "a hard link is a file" odd-results 1 '^hard,30,'
rows "an empty file" odd-results 1 '^empty,0,.*,refused,lab3.cu is empty'
rows "100 MB" odd-results 1 '^huge,0,.*,refused,.*larger than 4 MB'
rows "a folder in the file's place" odd-results 1 '^deep,0,.*,refused,.*a folder'
rows "hundreds of files in a folder" odd-results 1 '^many,0,.*,refused,.*and 295 more'
rows "archives" odd-results 2 ',refused,"?lab3.cu: (an archive|damaged, or no archive)'
rows "a link to everything" odd-results 1 '^root,0,.*,refused,.*links are not followed'
[ "$(id -u)" != 0 ] || rows "a device" odd-results 1 '^device,0,.*,refused,lab3.cu: a device'
if [ ! -e hacked ] && [ ! -e odd/hacked ]; then pass; else fail "a name" "it was run as a command"; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
