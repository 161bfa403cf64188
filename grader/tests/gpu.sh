#!/bin/sh
# gpu.sh - what a GPU at hand says, beside the virtual one: gpu.sh OUT_DIR RUNS LAB...
# For every lab: the solution earns all points in each of RUNS runs, the skeleton none, every stage's points equal the virtual
# GPU's, and every threshold tells its step from the one before. Labs are tried side by side (the judge lets one process at a
# time onto the GPU). Leaves a table in OUT_DIR/grades.md; OUT_DIR/LAB/check.json holds all times.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 2

say() { # truth text
    if [ "$1" = 0 ]; then echo passed; else echo "FAILED: $2"; fi
}

submissions() { # lab: a folder with the solution and the skeleton as two students
    rm -rf "$out/$1"
    mkdir -p "$out/$1/files"
    cp solutions/"$1"-*/"$1.cu" "$out/$1/files/solution.cu"
    cp labs/"$1"-*/"$1.cu" "$out/$1/files/skeleton.cu"
}

points() { # results folder, student: everything but the name and the message; a skeleton may crash where a bug is to be found
    sed -En "s/^$2,(.*),(graded|crashed),.*/\1/p" "$1/results.csv"
}

is_full() { # "100,100,0,30,30,40": points equal the most
    echo "$1" | awk -F, '{ exit !($1 == $2 && $2 > 0) }'
}

is_empty() {
    echo "$1" | awk -F, '{ exit !($1 == 0 && $2 > 0) }'
}

compare_run() { # lab run
    for student in solution skeleton; do
        there=$(points "$out/$1/gpu$2" $student) here=$(points "$out/$1/virtual" $student)
        if [ $student = solution ]; then is_full "$there"; else is_empty "$there"; fi
        say $? "$1, run $2: the $student has $there"
        [ "$there" = "$here" ]
        say $? "$1, run $2: the virtual GPU gives the $student $here, the GPU $there"
    done
}

grade_lab() { # lab
    submissions "$1"
    ./grade batch "$1" "$out/$1/files" --virtual --out "$out/$1/virtual" >"$out/$1/virtual.log" 2>&1
    for run in $(seq "$runs"); do
        ./grade batch "$1" "$out/$1/files" --out "$out/$1/gpu$run" >"$out/$1/gpu$run.log" 2>&1
        compare_run "$1" "$run"
    done
    ./grade check "$1" --json >"$out/$1/check.json" 2>"$out/$1/check.log"
    say $? "$1: not every threshold holds on the GPU, see $out/$1/check.json"
    ./grade check "$1" --json --virtual >"$out/$1/check-virtual.json" 2>"$out/$1/check-virtual.log"
    say $? "$1: not every threshold holds on the virtual GPU, see $out/$1/check-virtual.json"
}

out=$1 runs=$2
shift 2
mkdir -p "$out" || exit 2
for lab; do
    grade_lab "$lab" >"$out/$lab.said" 2>&1 &
done
wait
sh "$here/gpu_table.sh" "$out" "$@" >"$out/grades.md"
said=$(for lab; do cat "$out/$lab.said"; done)
passed=$(echo "$said" | grep -c '^passed$') failed=$(echo "$said" | grep -cv '^passed$')
echo "$said" | grep -v '^passed$'
echo "the table is $out/grades.md"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
