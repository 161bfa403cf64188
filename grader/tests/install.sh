#!/bin/sh
# install.sh - one kit for many: install.sh FOLDER BUILD SHOWN
# Installed into a temporary PREFIX that nobody may write to; students with folders of their own, who are other users where these tests
# run as root, and an instructor's batch. Whatever they do, nothing below PREFIX changes.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$2 shown=$3
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
unset WARPSTEP_RESULTS
solution=$TMPDIR/solution.cu
cp "$root/solutions/lab3-bank-conflicts/lab3.cu" "$solution"
mkdir -m 1777 "$TMPDIR/tmp"
chmod 1777 "$TMPDIR/tmp"
prefix=$TMPDIR/root/opt/warpstep
trap 'chmod -R u+w "$TMPDIR/root" 2>/dev/null; rm -rf "$TMPDIR"' EXIT

install() { sh "$root/grader/kit/install.sh" "$build" "$TMPDIR/root" /opt/warpstep >"$out" 2>&1; }
mkdir -p "$prefix/bin"
echo mine >"$prefix/bin/other"
if (cd "$root" && install); then pass "it is installed"; else fail "it is installed" "status $?" "$out"; fi
if (cd "$root" && install); then pass "it is installed again, over the first"; else fail "it is installed again" "status $?" "$out"; fi
found=$(find "$prefix" -path '*solution*' -o -name tests -o -name '*.patch' -o -name 'score.c' -o -name 'instructor.md' -o -name 'answers.md' -o -path '*/labs/*.c' -o -name 'baseline.cu')
if [ -z "$found" ]; then pass "no solutions, no tests, no sources of the grader, of drivers and baselines"; else fail "what is installed" "$found"; fi
if find "$prefix" -type f ! -name '*.png' | "$shown" "$root" >"$out" 2>&1; then pass "no file shows a solution"; else fail "what is installed" "it shows a solution" "$out"; fi
found=$(cd "$prefix/share/warpstep" && find README.md handouts -name '*.md' -exec awk -f "$root/handouts/links.awk" common/*/README.md common/vgpu/gpus/*.md {} + 2>/dev/null)
if [ -z "$found" ]; then pass "links lead to pages that are there"; else fail "links" "$found"; fi
chmod -R a-w "$prefix/share/warpstep"
state() { find "$prefix" -printf '%p %m %s %T@ %C@ %l\n' | LC_ALL=C sort; }
state >before
unchanged() { # what
    state >after
    if cmp -s before after; then pass "$1: nothing below PREFIX changed"; else fail "$1" "something below PREFIX changed: $(diff before after | head -n 3)"; fi
}

# Somebody else, if we may be anybody; the home is $TMPDIR/NAME.
number=20000
user() { # name: makes a home
    mkdir -p "$TMPDIR/$1"
    number=$((number + 1))
    eval "uid_$1=$number"
    [ "$(id -u)" != 0 ] || chown "$number:$number" "$TMPDIR/$1"
}
as() { # name words...: in the home's folder $where
    who=$1
    shift
    eval "uid=\$uid_$who"
    asked="(as $who) $*"
    set -- env HOME="$TMPDIR/$who" TMPDIR="$TMPDIR/tmp" "PATH=$prefix/bin:$PATH" "$@"
    [ "$(id -u)" != 0 ] || set -- setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"
    (cd "$TMPDIR/$who/$where" && "$@") >"$out" 2>&1 </dev/null
    status=$?
}
user ann
user ben
user prof

# ---- a student ----

where=.
as ann grade lab3
expect "no folder yet" 2 'This kit is shared' '`warpstep-start`'
as ann grade
expect "the list without a folder" 0 "lab10"
as ann warpstep-start
expect "a folder" 0 "make lab3 && ./grade lab3"
as ben warpstep-start cuda/labs
expect "a folder of another name" 0 "cuda/labs is yours"
# It is hers alone, whatever her umask is; what is there already is closed, too.
modes() { # folder: of all that is no link, each kind once
    (cd "$1" && find . ! -type l -printf '%y %m\n' | sort -u | tr '\n' ';')
}
if [ "$(modes "$TMPDIR/ann/warpstep")" = "d 700;f 600;" ]; then pass "modes of a student's folder"; else fail "modes of a student's folder" "$(modes "$TMPDIR/ann/warpstep")"; fi
chmod -R a+rwX "$TMPDIR/ben/cuda/labs"
as ben sh -c 'umask 0; warpstep-start cuda/labs; warpstep-start more'
if [ "$(cd "$TMPDIR/ben/cuda/labs" && find . -type d -perm /077)" = "" ]; then pass "a second start closes folders"; else fail "a second start" "$(find "$TMPDIR/ben/cuda/labs" -perm /077)"; fi
if [ "$(modes "$TMPDIR/ben/more")" = "d 700;f 600;" ]; then pass "with any umask"; else fail "with any umask" "$(modes "$TMPDIR/ben/more")"; fi
if [ "$(modes "$prefix/share/warpstep")" = "d 555;f 444;f 555;" ]; then pass "modes of what all share"; else fail "modes of what all share" "$(modes "$prefix/share/warpstep")"; fi
where=warpstep
as ann ./grade lab3 --virtual
expect "the skeleton" 0 "0 of 100 points"
as ann make lab3 VIRTUAL=1
expect "make lab3" 0 "LINK build/lab3"
as ann build/lab3 naive -n 64 -m 64
expect "by hand" 0 "naive right"
as ann make lab3 VIRTUAL=1
if [ -s "$out" ]; then fail "make again" "it makes something" "$out"; else pass "make again"; fi
as ann make lab99
expect "a lab that is not there" 2 "There is no lab99"
as ann cp "$solution" labs/lab3-bank-conflicts/lab3.cu
as ann ./grade explain lab3.padded --virtual --html page.html
expect "a page" 0 "page.html"
# Two at the same time; in the kit's own place there is nothing to meet at.
(
    where=cuda/labs out=$out.ben
    as ben ./grade lab3 --virtual
    echo "$status" >>"$out"
) &
as ann ./grade lab3 --virtual
wait $!
expect "a solution" 0 "100 of 100 points"
if grep -q "0 of 100 points" "$out.ben" && [ "$(tail -n 1 "$out.ben")" = 0 ]; then pass "another student, meanwhile"; else fail "another student" "no points" "$out.ben"; fi
where=warpstep/labs/lab3-bank-conflicts
as ann grade
expect "from a folder below, by PATH" 0 "lab3 #### 100/100 +10"
where=.
as ann "$TMPDIR/ann/warpstep/grade" history lab3
expect "from elsewhere, by the link" 0 "2 attempts"
as ann grade --complete lab3.t
expect "completions" 0 "lab3.tiled"
as ann warpstep-start
expect "a second start" 0 "warpstep is yours"
if cmp -s "$TMPDIR/ann/warpstep/labs/lab3-bank-conflicts/lab3.cu" "$solution"; then pass "it leaves files alone"; else fail "a second start" "the file has changed"; fi
where=warpstep
as ann ./grade reset lab3
expect "reset" 0 "labs/lab3-bank-conflicts/lab3.cu is the skeleton again."
as ann ./grade doctor
expect "doctor" 0 "of them built" "Students can work here."
as ann make clean
if [ -e "$TMPDIR/ann/warpstep/build/results/lab3.history" ] && [ ! -e "$TMPDIR/ann/warpstep/build/lab3" ]; then pass "make clean keeps points"; else
    fail "make clean" "it leaves $(ls "$TMPDIR/ann/warpstep/build")" "$out"
fi
unchanged "students"

# ---- an instructor, without a folder, who grades others' files ----

mkdir "$TMPDIR/prof/handed-in"
cp "$solution" "$TMPDIR/prof/handed-in/ann.cu"
echo nonsense >"$TMPDIR/prof/handed-in/ben.cu"
[ "$(id -u)" != 0 ] || chown -R "$uid_prof" "$TMPDIR/prof"
where=.
as prof grade batch lab3 handed-in --virtual --out results
expect "a batch" 0 "ann 100/100, bonus 10" "build failed: lab3.cu does not compile" "0 errors of the kit"
unchanged "a batch"
# The same as whoever may write there.
HOME=$TMPDIR/prof "$prefix/bin/grade" lab3 --file "$solution" --virtual >"$out" 2>&1
status=$?
expect "a file, by the installer" 0 "100 of 100 points"
unchanged "the installer"
(cd "$prefix/share/warpstep" && HOME=$TMPDIR/prof ./grade lab3 --virtual) >"$out" 2>&1
status=$?
expect "the kit's own folder is nobody's" 2 "This kit is shared"
unchanged "the kit's own folder"

# ---- a kit that is not whole; and its end ----

chmod -R u+w "$prefix"
rm "$prefix/share/warpstep/build/labs/lab3/ready"
as prof grade lab3 --file "$solution" --virtual
expect "something is missing" 2 "The installed kit has nothing built for lab3"
(cd "$root" && sh grader/kit/install.sh --remove "$TMPDIR/root" /opt/warpstep) >"$out" 2>&1
left=$(cd "$prefix" && find . -mindepth 1 ! -path ./bin)
if [ "$left" = ./bin/other ]; then pass "it is removed, and nothing else"; else fail "uninstall" "what is left: $left" "$out"; fi
rm "$prefix/bin/other"
mkdir -p "$prefix/share/man/man1"
(cd "$root" && sh grader/kit/install.sh --remove "$TMPDIR/root" /opt/warpstep) >"$out" 2>&1
if [ ! -e "$prefix" ] && [ -d "$TMPDIR/root/opt" ]; then pass "no empty folder is left"; else fail "uninstall" "what is left: $(find "$TMPDIR/root")" "$out"; fi
mkdir -p "$prefix/share/warpstep"
(cd "$root" && sh grader/kit/install.sh --remove "$TMPDIR/root" /opt/warpstep) >"$out" 2>&1
status=$?
expect "a folder that is not ours" 1 "was not installed by this kit"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
