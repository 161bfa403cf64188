#!/bin/sh
# pack.sh - what students get, as a folder and an archive: pack.sh OUT_DIR, which gets warpstep/ and warpstep.tar.gz.
# The kit without solutions, and without what shows them: tests, whose mistakes and honest files are solutions with a change;
# benches, which are steps of the lectures; the instructor's pages; history. The labs' baselines stay: they are what stages are timed
# against. Files are those that git knows, as they are now; without git, all that lie here.
set -eu
cd "$(dirname "$0")/../.."
out=$1

# Patterns of paths that stay with instructors.
keeps_back='^solutions/|^grader/tests/|/tests/|^common/vgpu/bench/|^common/lab/bench/|^grader/kit/|^\.ci/|^\.git|^build/|^grade$'
keeps_back="$keeps_back|^handouts/(instructor|new-lab|h200)\\.md\$|^handouts/(h200|lectures|foreign)\\.|^handouts/test\\.sh\$"

list() {
    if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -co --exclude-standard; else find . -type f | sed 's|^\./||'; fi
}

rm -rf "$out/warpstep" "$out/warpstep.tar.gz"
mkdir -p "$out/warpstep"
list | grep -vE "$keeps_back" | while IFS= read -r path; do [ ! -f "$path" ] || echo "$path"; done | LC_ALL=C sort >"$out/files"
tar -cf - -T "$out/files" | tar -xf - -C "$out/warpstep"
# The student's half of the README; links to pages that are not here are words.
awk '/^## How a grade is made/ { exit } !/make (student-kit|install|gradescope)|grade (batch|results|export|page|similar)/ { print }' README.md |
    sed -E 's/\[([^]]*)\]\(handouts\/(instructor|new-lab|h200)\.md[^)]*\)/\1/g' >"$out/warpstep/README.md"
for page in "$out"/warpstep/handouts/*.md; do
    sed -E 's/\[([^]]*)\]\((instructor\.md|new-lab\.md|h200\.md|\.\.\/common\/vgpu\/bench\/)[^)]*\)/\1/g' "$page" >"$out/page" && mv "$out/page" "$page"
done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$out" -cf - warpstep | gzip -n >"$out/warpstep.tar.gz"
rm -f "$out/files"
echo "$out/warpstep.tar.gz: $(find "$out/warpstep" -type f | wc -l) files, $(($(wc -c <"$out/warpstep.tar.gz") / 1024)) KB"
