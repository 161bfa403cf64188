# outside.sh - what scripts that call the real ./grade from outside share; they begin with `. outside.sh`.
# The caller has set `root` (the kit's folder) and `folder` (to work in, which exists); the script goes on in `folder`.
# Everything runs on the virtual GPU.
folder=$(cd "$folder" && pwd)
# Root's submissions run as another user, who must be able to come here.
TMPDIR=$(mktemp -d /tmp/warpstep-test.XXXXXX)
export TMPDIR
chmod 755 "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
# The user's own points stay as they are.
WARPSTEP_RESULTS=$folder/points
export WARPSTEP_RESULTS
unset NVCC CUDA_HOME CUDA_PATH MAKEFLAGS MFLAGS MAKELEVEL
cd "$folder" || exit 1
passed=0 failed=0

pass() { # [what]
    passed=$((passed + 1))
    [ $# = 0 ] || echo "pass $*"
}
fail() { # what why [file]
    failed=$((failed + 1))
    echo "FAIL $1: $2"
    [ -z "${asked:-}" ] || echo "    run it: ./grade $asked"
    [ -z "${3:-}" ] || sed 's/^/    | /' "$3" | head -n 30
}
# The last command line's report is in $out, its exit status in $status.
out=$folder/out
grade() {
    asked=$*
    "$root/grade" "$@" >"$out" 2>&1 </dev/null
    status=$?
}
expect() { # what status text...
    what=$1 want=$2
    shift 2
    [ "$status" = "$want" ] || { fail "$what" "exit status $status, not $want" "$out"; return; }
    for text; do
        tr -s ' \n' '  ' <"$out" | grep -qF -- "$text" || { fail "$what" "it does not say \"$text\"" "$out"; return; }
    done
    pass "$what"
}
# Writes bad.cu: a submission for lab3's stage `tiled`.
submission() { # kernel host top
    cat >bad.cu <<END
#include "lab3.h"
#include <cstdio>
#include <cstdlib>
#include <signal.h>
#include <unistd.h>
$3
__global__ void kernel(float *out, const float *in, int width, int height)
{
    $1
}
void transpose_tiled(float *out, const float *in, int width, int height)
{
    $2
    kernel<<<1, 32>>>(out, in, width, height);
}
END
}
