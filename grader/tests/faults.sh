#!/bin/sh
# faults.sh - whose fault it was: tools that fail and disks that are full are never the student's, whatever a submission
# prints; and what it prints is never the kit's: faults.sh FOLDER
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
solution=$root/solutions/lab3-bank-conflicts/lab3.cu

# ---- words of a submission decide nothing ----

bad() { # what status kernel host top text...
    what=$1 want=$2
    submission "$3" "$4" "$5"
    shift 5
    grade lab3.tiled --virtual --file bad.cu
    expect "$what" "$want" "$@"
}
bad "an #error about a full disk" 1 '' '' '#error No space left on device' "does not compile"
bad "an #error about headers" 1 '' '' '#error cuda_runtime.h: No such file' "does not compile"
bad "words of the scout" 1 '' 'fputs("scout: out of memory\n", stderr); exit(2);' '' "did not run" "ended with status 2"
bad "words of bubblewrap" 1 '' 'fputs("bwrap: Creating new namespace failed\n", stderr); exit(1);' '' "did not run"
bad "a program that kills itself" 1 '' 'kill(getpid(), SIGKILL);' '' "did not run"
bad "a program that kills all it can" 1 '' 'kill(-1, SIGKILL); kill(getppid(), SIGKILL); kill(getpid(), SIGKILL);' '' "did not run"
bad "a symbol that speaks like a linker" 1 '' 'asm volatile("call \"No space left on device\"");' '' "No space left on device"

# ---- tools that fail ----

fake() { # name: a program in a folder that the sandbox shows; its text comes from stdin
    mkdir -p "tools-$1/bin"
    { echo '#!/bin/sh'; cat; } >"tools-$1/bin/$1"
    chmod +x "tools-$1/bin/$1"
}
broken() { # what text: with the nvcc on stdin
    fake nvcc
    NVCC=$folder/tools-nvcc/bin/nvcc grade lab3 --virtual --file "$solution"
    expect "$1" 2 "no grade" "$2"
}
broken "an nvcc that dies" "fails with a file that is right" <<'END'
echo "nvcc fatal   : Could not open output file" >&2
exit 1
END
broken "an nvcc that is killed" "killed from outside" <<'END'
kill -KILL $$
END
broken "an nvcc that makes nothing" "fails with a file that is right" <<'END'
exit 0
END
broken "an nvcc that cannot fork" "fails with a file that is right" <<'END'
echo "lab3.cu(3): error: expected a ;" >&2
exit 2
END
fake g++ <<'END'
echo "undefined reference to \`cublasSgemm'" >&2
exit 1
END
CXX=$folder/tools-g++/bin/g++ grade lab3 --virtual --file "$solution"
expect "a linker that fails" 2 "no grade" "The linker fails with the kit's own object"

# A compiler that fails once, as one does that finds no memory, is asked again.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
fake nvcc <<END
if grep -q transpose_tiled lab3.cu && ! [ -e "$folder/tools-nvcc/again" ]; then
    echo "lab3.cu(3): catastrophic error: out of memory" >&2
    exit 2
fi
exec $nvcc "\$@"
END
(
    # The control run of a file that is right is when the second try may succeed.
    until ls "$TMPDIR"/warpstep.*/control-*/lab3.cu >/dev/null 2>&1 || [ -e done ]; do sleep 0.05; done
    touch tools-nvcc/again
) &
NVCC=$folder/tools-nvcc/bin/nvcc grade lab3.tiled --virtual --file "$solution"
touch done
wait
expect "a compiler that fails once" 0 " 30/30"

# How often it is asked: once for a file that is right; twice for one with a mistake, for two architectures, and a third time
# with a file of ours if these compilers have compiled nothing lately.
fake nvcc <<END
echo asked >"$folder/tools-nvcc/asked"
exec $nvcc "\$@"
END
mkfifo tools-nvcc/asked
chmod 666 tools-nvcc/asked
exec 9<>tools-nvcc/asked
asked_for() { # what file times
    NVCC=$folder/tools-nvcc/bin/nvcc grade lab3.tiled --virtual --file "$2"
    times=$(dd if=tools-nvcc/asked iflag=nonblock 2>/dev/null | grep -c asked)
    if [ "$times" = "$3" ]; then pass "$1"; else fail "$1" "the compiler was asked $times times, not $3" "$out"; fi
}
submission '' 'nonsense;' ''
asked_for "a mistake, and a compiler that nobody knows" bad.cu 3
asked_for "a mistake" bad.cu 2
asked_for "a file that is right" "$solution" 1
submission 'out[0] = __reduce_add_sync(~0u, threadIdx.x);' '' ''
asked_for "a function of newer GPUs" bad.cu 2
submission '' 'printf("%g", std::riemann_zeta(2));' '#include <cmath>'
asked_for "a function that the first try leaves out" bad.cu 2
grep -q '^  2  tiled .* writes nothing' "$out" && pass || fail "a function that the first try leaves out" "nothing was judged" "$out"
exec 9<&-

# ---- a full disk ----

if [ "$(id -u)" = 0 ] && mkdir disk && mount -t tmpfs -o size=40m none disk 2>/dev/null; then
    head -c 34000000 /dev/zero >disk/full
    TMPDIR=$folder/disk grade lab3 --virtual --file "$solution"
    expect "a disk that is full" 2
    umount disk
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
