#!/bin/sh
# compile_commands.sh - a compilation database for clangd, to stdout: compile_commands.sh CUDA
# Labs and solutions are CUDA: clang reads them with its own header for CUDA, which wants some help with a toolkit that is newer
# than itself (common/lab/editor/). The rest is the kit's own C. Run from the kit's folder.
set -u
export LC_ALL=C
{
    find labs solutions -name 'lab*.cu' | sort
    find common grader labs handouts -name '*.c' | sort
} | awk -v folder="$(pwd)" -v cuda="${1:-/usr/local/cuda}" '
    function quoted(text) {
        gsub(/\\/, "\\\\", text)
        gsub(/"/, "\\\"", text)
        return "\"" text "\""
    }
    function entry(file, words,    i, n, word) {
        n = split(words, word, "\n")
        printf "%s  {\"directory\": %s, \"file\": %s, \"arguments\": [", (NR > 1 ? ",\n" : ""), quoted(folder), quoted(file)
        for (i = 1; i <= n; i++)
            printf "%s, ", quoted(word[i])
        printf "%s]}", quoted(file)
    }
    BEGIN {
        print "["
        of_cuda = "clang++\n-x\ncuda\n--cuda-path=" cuda "\n--cuda-gpu-arch=sm_80\n--cuda-host-only\n-nocudalib\n-std=c++17" \
            "\n-Wno-unknown-cuda-version\n-Wno-unknown-attributes\n-D__CLANG_CUDA_TEXTURE_INTRINSICS_H__" \
            "\n-idirafter\ncommon/lab/editor\n-include\ncommon/lab/editor/host.h\n-Icommon"
        of_c = "clang\n-std=gnu11\n-Wall\n-Wextra\n-D_GNU_SOURCE\n-DGRADE_BUILD=\"build\"\n-I.\n-Icommon\n-Icommon/vgpu" \
            "\n-isystem\n" cuda "/include"
    }
    {
        beside = $0
        sub(/\/[^\/]*$/, "", beside)
        sub(/^solutions\//, "labs/", beside) # where its headers are
        entry($0, ($0 ~ /[.]cu$/ ? of_cuda : of_c) "\n-iquote\n" beside "\n-fsyntax-only")
    }
    END { print "\n]" }'
