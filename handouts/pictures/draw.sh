#!/bin/sh
# draw.sh - makes the drawings of the handouts: draw.sh OUT_DIR [NAME...]
# A drawing is NAME.awk beside this file; svg.awk has what they share. Figures come from the H200's profile and from what was
# measured on one: the benches' records, and the labs' stages. Needs awk, nothing else.
out=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
vgpu=$here/../../common/vgpu
mkdir -p "$out" || exit 2
status=0
for drawing in "$here"/*.awk; do
    name=$(basename "$drawing" .awk)
    [ "$name" != svg ] || continue
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    LC_ALL=C awk -v FIGURES="$vgpu/gpus/h200.gpu" -v RECORD="$vgpu/bench/h200" -v STAGES="$here/../h200.csv" -f "$here/svg.awk" -f "$drawing" \
        </dev/null >"$out/$name.svg" || { echo "draw.sh: $name could not be drawn" >&2; status=1; }
done
exit $status
