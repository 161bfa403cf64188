#!/bin/sh
# gpu.sh - what a GPU at hand says, beside the virtual one: gpu.sh OUT_DIR [RUNS]
# For every lab: the solution earns all points in each of RUNS runs (default 1), the skeleton none, every stage's points
# equal the virtual GPU's, and every threshold tells its step from the one before. Leaves a table in OUT_DIR/grades.md.
out=$1
runs=${2:-1}
here=$(cd "$(dirname "$0")/../.." && pwd)
table=$out/grades.md
passed=0 failed=0
mkdir -p "$out"
cd "$here" || exit 2

say() { # truth text
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi
}

submissions() { # lab folder: a folder with the solution and the skeleton as two students
    rm -rf "$out/$1"
    mkdir -p "$out/$1/files"
    cp "solutions/$2/$1.cu" "$out/$1/files/solution.cu"
    cp "labs/$2/$1.cu" "$out/$1/files/skeleton.cu"
}

points() { # results folder, student: everything but the name and the message
    sed -n "s/^$2,\(.*\),graded,.*/\1/p" "$1/results.csv"
}

is_full() { # "100,100,0,30,30,40": points equal the most
    echo "$1" | awk -F, '{ exit !($1 == $2 && $2 > 0) }'
}

is_empty() {
    echo "$1" | awk -F, '{ exit !($1 == 0 && $2 > 0) }'
}

grade_lab() { # lab folder
    submissions "$1" "$2"
    ./grade batch "$1" "$out/$1/files" --virtual --out "$out/$1/virtual" >"$out/$1/virtual.log" 2>&1
    for run in $(seq "$runs"); do
        ./grade batch "$1" "$out/$1/files" --out "$out/$1/gpu$run" >"$out/$1/gpu$run.log" 2>&1
        solution=$(points "$out/$1/gpu$run" solution) skeleton=$(points "$out/$1/gpu$run" skeleton)
        is_full "$solution"
        say $? "$1, run $run: the solution has $solution"
        is_empty "$skeleton"
        say $? "$1, run $run: the skeleton has $skeleton"
        [ "$solution" = "$(points "$out/$1/virtual" solution)" ]
        say $? "$1, run $run: the virtual GPU gives the solution $(points "$out/$1/virtual" solution), the GPU $solution"
        [ "$skeleton" = "$(points "$out/$1/virtual" skeleton)" ]
        say $? "$1, run $run: the virtual GPU gives the skeleton $(points "$out/$1/virtual" skeleton), the GPU $skeleton"
    done
    ./grade check "$1" >"$out/$1/check.txt" 2>&1
    say $? "$1: not every threshold holds on the GPU, see $out/$1/check.txt"
    ./grade check "$1" --virtual >"$out/$1/check-virtual.txt" 2>&1
    say $? "$1: not every threshold holds on the virtual GPU, see $out/$1/check-virtual.txt"
}

write_lab() { # lab
    printf '\n## %s\n\nstudent,points: on the GPU, then on the virtual GPU\n```\n' "$1"
    head -n 1 "$out/$1/gpu1/results.csv"
    sed 1d "$out/$1/gpu1/results.csv"
    sed 1d "$out/$1/virtual/results.csv" | sed 's/^/virtual /'
    printf '```\nthresholds\n```\n'
    cat "$out/$1/check.txt" "$out/$1/check-virtual.txt"
    printf '```\n'
}

for folder in labs/lab*-*; do
    folder=$(basename "$folder")
    grade_lab "${folder%%-*}" "$folder"
done
{
    echo "# Grades on $(build/judge-gpu --probe | cut -f 1), $(date -u +%Y-%m-%d)"
    echo
    echo "Written by \`make test-gpu\`: $runs run(s) of every solution and skeleton; $passed checks passed, $failed failed."
    for folder in labs/lab*-*; do
        folder=$(basename "$folder")
        write_lab "${folder%%-*}"
    done
} >"$table"
echo "the table is $table"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
