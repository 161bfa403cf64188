#!/bin/sh
# pack.sh - what students get, as a folder and an archive: pack.sh BUILD OUT_DIR, which gets warpstep/ and warpstep.tar.gz.
# The kit without solutions, and without what shows them: tests, whose mistakes and honest files are solutions with a change;
# benches, which are steps of the lectures; the instructor's pages; history. Of the labs' baselines, which hold kernels that stages
# ask for, it has the host's part as source and the kernels compiled (BUILD/labs/*/baseline.ptx): for any host, and any GPU. Files are those
# that git knows, as they are now; without git, all that lie here.
set -eu
cd "$(dirname "$0")/../.."
build=$1 out=$2

# Patterns of paths that stay with instructors.
keeps_back='^solutions/|^grader/tests/|/tests/|^common/vgpu/bench/|^common/lab/bench/|^grader/kit/|^\.ci/|^\.git|^build/|^grade$'
keeps_back="$keeps_back|^labs/[^/]*/baseline\\.cu\$|^handouts/(instructor|answers|new-lab|h200)\\.md\$|^handouts/(h200|lectures|foreign)\\.|^handouts/test\\.sh\$"

list() {
    if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -co --exclude-standard; else find . -type f | sed 's|^\./||'; fi
}

rm -rf "$out/warpstep" "$out/warpstep.tar.gz"
mkdir -p "$out/warpstep"
list | grep -vE "$keeps_back" | while IFS= read -r path; do [ ! -f "$path" ] || echo "$path"; done | LC_ALL=C sort >"$out/files"
tar -cf - -T "$out/files" | tar -xf - -C "$out/warpstep"
grep '\.md$' "$out/files" | while IFS= read -r text; do awk -f grader/kit/students.awk "$text" >"$out/warpstep/$text"; done
for lab in labs/*/; do
    id=$(basename "$lab")
    awk -f grader/kit/hollow.awk "$lab/baseline.cu" | cat -s >"$out/warpstep/$lab/baseline.cu"
    cp "$build/labs/${id%%-*}/baseline.ptx" "$out/warpstep/$lab/"
done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode='u=rwX,go=rX' -C "$out" -cf - warpstep | gzip -n >"$out/warpstep.tar.gz"
rm -f "$out/files"
echo "$out/warpstep.tar.gz: $(find "$out/warpstep" -type f | wc -l) files, $(($(wc -c <"$out/warpstep.tar.gz") / 1024)) KB"
