# disguise.sh - how a copy is dressed; sourced. Each way writes a file anew, to standard output.

rename() { sed 's/\<tile\>/buffer/g; s/\<column\>/cx/g; s/\<row\>/cy/g; s/\<width\>/w/g; s/\<height\>/h/g; s/\<out\>/dst/g; s/\<in\>/src/g; s/\<TILE\>/SIDE/g; s/[0-9]\{1,\}/77/g' "$1"; }
reformat() { sed 's|//.*||; s/^ */\t\t/; s/{/\n{ \/* begin *\/\n/g; s/;/ ;\n/g' "$1"; }
reorder() { awk 'BEGIN { n = 0 } /^(__global__|__device__|template|static|void|struct)/ { n++ } { part[n] = part[n] $0 "\n" } END { printf "%s", part[0]; for (i = n; i > 0; i--) printf "%s", part[i] }' "$1"; }
hide() { # macros and other names for types
    echo '#define TX threadIdx.x'; echo '#define TY threadIdx.y'; echo '#define AT(block, thread) (block * TILE + thread)'; echo '#define WAIT() __syncthreads()'
    echo 'typedef float real;'; echo 'using index = int;'
    sed 's/blockIdx\.\([xy]\) \* TILE + threadIdx\.\([xy]\)/AT(blockIdx.\1, threadIdx.\2)/g; s/threadIdx\.x/TX/g; s/threadIdx\.y/TY/g; s/__syncthreads()/WAIT()/g; s/\<float\>/real/g; s/\<int\>/index/g' "$1"
}
turn() { # operands, increments, braces
    sed 's/blockIdx\.\([xy]\) \* TILE + threadIdx\.\([xy]\)/threadIdx.\2 + TILE * blockIdx.\1/g; s/\([a-z]*\)++/\1 += 1/g; s/++\([a-z]*\)/\1 = \1 + 1/g; s/^\( *\)\(if (.*)\)$/\1\2 {/; s/\([a-z]*\) < \([a-z]*\) &&/\2 > \1 \&\&/g' "$1" |
        awk '{ if (is_open && /;$/) { $0 = $0 " }"; is_open = 0 } if (/^ *if \(.*\) \{$/) is_open = 1; print }'
}
fill() { # functions that nobody calls
    cat "$1"
    for k in 1 2 3 4 5; do echo "static int unused$k(int a, int b) { int c = a ^ $k; while (c > b) c -= $k; switch (c) { case $k: return a; default: return b | c; } }"; done
}
DISGUISES="rename hide turn reorder reformat fill"
disguise() { # file, number: every way by itself, from 7 two at a time, from 13 all, one after another
    cp "$1" disguised.0
    step=0
    for way in $DISGUISES; do
        step=$((step + 1))
        if [ "$2" -gt 12 ] || [ $(($2 % 6)) = $((step % 6)) ] || { [ "$2" -gt 6 ] && [ $((($2 + 2) % 6)) = $((step % 6)) ]; }; then $way disguised.$((step - 1)) >disguised.$step; else cp disguised.$((step - 1)) disguised.$step; fi
    done
    cat disguised.$step
}
