#!/bin/sh
# pack.sh - what students get, as a folder and an archive: pack.sh BUILD OUT_DIR, which gets warpstep/ and warpstep.tar.gz.
# The kit without solutions, and without what shows them: tests, whose mistakes and honest files are solutions with a change;
# benches, which are steps of the lectures; the instructor's pages; history. Of the labs' baselines, which hold kernels that stages
# ask for, it has the host's part as source and the kernels compiled (BUILD/labs/*/baseline.ptx): for any host, and any GPU.
# A checkout is also where classes are graded: belongs.awk says which files are the kit's, as they are now; the others are named on
# standard error. Where a file shows a solution (BUILD/kit/shown), nothing is packed.
set -eu
cd "$(dirname "$0")/../.."
build=$1 out=$2

# Patterns of paths that stay with instructors.
keeps_back='^solutions/|^grader/tests/|/tests/|^common/vgpu/bench/|^common/lab/bench/|^grader/kit/|^\.ci/|^\.git|^build/|^grade$'
keeps_back="$keeps_back|^labs/[^/]*/baseline\\.cu\$|^handouts/(instructor|answers|new-lab|h200)\\.md\$|^handouts/(h200|lectures|foreign|figures|once)\\.|^handouts/test\\.sh\$"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Without git, or where it knows a repository but not the kit, places alone decide.
if git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
    git -c core.quotePath=off ls-files -c >"$work/tracked"
    git -c core.quotePath=off ls-files -o --exclude-standard >"$work/untracked"
else
    [ ! -e .git ] || echo "git does not say here which files it tracks: their places alone decide what is packed." >&2
    find . -type f | sed 's|^\./||' >"$work/tracked"
    : >"$work/untracked"
fi
for list in tracked untracked; do
    { grep -vE "$keeps_back" "$work/$list" || true; } | while IFS= read -r path; do [ -L "$path" ] || [ -d "$path" ] || echo "$path"; done | LC_ALL=C sort >"$work/$list.here"
done
find . -name results.db ! -path './build/*' | sed 's|^\./||; s|[^/]*$||' >"$work/stores"
awk -v left_out="$work/left-out" -f grader/kit/belongs.awk "$work/tracked.here" "$work/untracked.here" "$work/stores" >"$work/belongs"
while IFS= read -r path; do [ ! -f "$path" ] || echo "$path"; done <"$work/belongs" >"$work/files"
sed -n 's|^labs/\([^/]*\)/.*|\1|p' "$work/files" | LC_ALL=C sort -u >"$work/labs"

rm -rf "$out/warpstep" "$out/warpstep.tar.gz"
mkdir -p "$work/warpstep"
tar -cf - -T "$work/files" | tar -xf - -C "$work/warpstep"
grep '\.md$' "$work/files" | while IFS= read -r text; do awk -f grader/kit/students.awk "$text" >"$work/warpstep/$text"; done
while IFS= read -r lab; do
    awk -f grader/kit/hollow.awk "labs/$lab/baseline.cu" | cat -s >"$work/warpstep/labs/$lab/baseline.cu"
    cp "$build/labs/${lab%%-*}/baseline.ptx" "$work/warpstep/labs/$lab/"
done <"$work/labs"
if [ -s "$work/left-out" ]; then
    echo "Left out, as no part of the kit (git tracks it not, or it has no place there):" >&2
    head -n 20 "$work/left-out" | sed 's/^/    /' >&2
    [ "$(wc -l <"$work/left-out")" -le 20 ] || echo "    and $(($(wc -l <"$work/left-out") - 20)) more" >&2
fi
if [ -d solutions ] && ! find "$work/warpstep" -type f ! -name '*.ptx' ! -name '*.png' | "$build/kit/shown" . >"$work/shown" 2>"$work/errors"; then
    [ -s "$work/shown" ] || cat "$work/errors" >&2
    echo "Nothing is packed, because this shows what students are to find:" >&2
    sed "s|^$work/warpstep/|    |" "$work/shown" | head -n 20 >&2
    echo "A skeleton that you have edited comes back with ./grade reset lab3." >&2
    exit 1
fi
mkdir -p "$out"
mv "$work/warpstep" "$out/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode='u=rwX,go=rX' -C "$out" -cf - warpstep | gzip -n >"$out/warpstep.tar.gz"
echo "$out/warpstep.tar.gz: $(find "$out/warpstep" -type f | wc -l) files, $(($(wc -c <"$out/warpstep.tar.gz") / 1024)) KB"
