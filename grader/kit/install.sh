#!/bin/sh
# install.sh - the kit for many users of one machine or cluster: install.sh BUILD DESTDIR PREFIX; install.sh --remove DESTDIR PREFIX
# PREFIX/share/warpstep holds what students get (pack.sh) and what was made of it in BUILD, so that nothing of it is ever built or
# written again; PREFIX/bin has grade and warpstep-start. No source of grader, virtual GPU, drivers and baselines, no solution. The new tree takes
# the place of an old one at once: whoever grades at this moment goes on with the old one.
set -eu
cd "$(dirname "$0")/../.."
umask 022

remove() { # prefix
    for link in "$1/bin/grade" "$1/bin/warpstep-start"; do
        case $(readlink "$link" || true) in *share/warpstep/*) rm -f "$link" ;; esac
    done
    rm -f "$1/share/man/man1/grade.1" "$1/share/bash-completion/completions/grade" "$1/share/zsh/site-functions/_grade"
    rm -rf "$1/share/warpstep"
    for place in bin share/man/man1 share/bash-completion/completions share/zsh/site-functions; do
        (cd "$1" && rmdir -p "$place") 2>/dev/null || true # as far as nothing else is in it
    done
    rmdir "$1" 2>/dev/null || true
}

if [ "$1" = --remove ]; then
    [ ! -d "$2$3/share/warpstep" ] || [ -e "$2$3/share/warpstep/installed" ] || { echo "$2$3/share/warpstep was not installed by this kit" >&2; exit 1; }
    remove "$2$3"
    echo "removed from $2$3"
    exit
fi
build=$1 prefix=$2$3
case $3 in /*) ;; *) echo "PREFIX must begin with /: $3" >&2; exit 1 ;; esac

new=$prefix/share/warpstep.new
rm -rf "$new"
mkdir -p "$new/build/labs" "$prefix/bin"

# ---- what is read: skeletons, headers, profiles, handouts ----

packed=$(mktemp -d)
trap 'rm -rf "$packed" "$new"' EXIT
sh grader/kit/pack.sh "$build" "$packed" >/dev/null
(cd "$packed/warpstep" && find README.md labs handouts common/lab common/base common/vgpu/gpus common/*/README.md -type f ! -name 'baseline.*' \( -name '*.h' \
    -o -name '*.def' -o -name '*.gpu' -o -path 'labs/*.cu' -o -path 'labs/*.csv' -o -path 'handouts/*' -o -path 'common/lab/skeletons/*' \
    -o -name '*.md' \) | LC_ALL=C sort | tar -cf - -T -) | tar -xf - -C "$new"
cp common/cuda.mk "$new/common/"
cp grader/kit/own.mk "$new/Makefile"
cp grader/kit/start.sh "$new/warpstep-start"

# ---- what was made: programs, libraries, each lab's parts ----

cp grade "$new/"
for name in keeper compiler judge-virtual judge-gpu vgpucc libvgpu-scout.a libvgpu-cublas.a libvgpu-curand.a vgpu-link kit/own-settings.mk; do
    [ ! -e "$build/$name" ] || cp -r "$build/$name" "$new/build/"
done
cp "$build/libvgpu-scout.a" "$new/build/libvgpu.a" # the same without debug information
for name in $(sed -n 's/^LAB_PARTS *:= //p; s/^LAB_UNTIMED *:= //p' "$build/kit/own-settings.mk"); do
    mkdir -p "$new/build/$(dirname "$name")"
    cp "$build/$name" "$new/build/$name"
done
for lab in "$packed"/warpstep/labs/*/; do
    id=$(basename "$lab")
    id=${id%%-*}
    mkdir "$new/build/labs/$id"
    for name in lab.so scout.o kits baseline.trace baseline.fatbin baseline.o baseline-scout baseline-alone.o driver.o ready; do
        cp "$build/labs/$id/$name" "$new/build/labs/$id/"
    done
done
./grade --version >"$new/installed"

# ---- into its place ----

chmod -R a+rX,go-w "$new"
chmod a+x "$new/warpstep-start"
rm -rf "$prefix/share/warpstep.old"
[ ! -e "$prefix/share/warpstep" ] || mv "$prefix/share/warpstep" "$prefix/share/warpstep.old"
mv "$new" "$prefix/share/warpstep"
rm -rf "$prefix/share/warpstep.old"
ln -sf ../share/warpstep/grade "$prefix/bin/grade"
ln -sf ../share/warpstep/warpstep-start "$prefix/bin/warpstep-start"
mkdir -p "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions"
./grade --man >"$prefix/share/man/man1/grade.1"
./grade --completion bash >"$prefix/share/bash-completion/completions/grade"
./grade --completion zsh >"$prefix/share/zsh/site-functions/_grade"
echo "$prefix/share/warpstep: $(find "$prefix/share/warpstep" -type f | wc -l) files, $(($(du -sk "$prefix/share/warpstep" | cut -f 1) / 1024)) MB"
echo "Students: $3/bin/warpstep-start, then make lab3 && ./grade lab3 in the folder that it makes."
