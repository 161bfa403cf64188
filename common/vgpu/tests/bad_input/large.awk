# large.awk - PTX that is far too large in one direction: awk -v what=NAME -v n=COUNT -f large.awk
# Each text is valid; the virtual GPU executes it, or refuses it with a sentence, and neither takes long.

function head(name) {
    print ".version 8.0\n.target sm_75\n.address_size 64"
}
function entry() {
    print ".visible .entry k(.param .u64 p0)\n{"
    print ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;"
    print ".shared .align 16 .b8 shared[4096];"
    print "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;"
}
function leave() { print "st.global.u32 [%rd1], %r2;\nret;\n}" }

function else_ifs(   i) {
    for (i = 0; i < n; i++)
        printf "setp.ne.u32 %%p1, %%r1, %d;\n@%%p1 bra L%d;\nadd.u32 %%r2, %%r2, %d;\nbra E;\nL%d:\n", i, i, i, i
    print "E:"
}
function nested_ifs(   i) {
    for (i = 0; i < n; i++)
        printf "setp.gt.u32 %%p1, %%r1, %d;\n@%%p1 bra L%d;\nadd.u32 %%r2, %%r2, 1;\n", i % 32, i
    for (i = n - 1; i >= 0; i--)
        printf "L%d:\nadd.u32 %%r3, %%r2, 1;\n", i
}
function nested_barriers(   i) {
    for (i = 0; i < n; i++)
        printf "setp.gt.u32 %%p1, %%r1, 100;\n@%%p1 bra L%d;\nbar.sync 0;\n", i
    for (i = n - 1; i >= 0; i--)
        printf "L%d:\nbar.sync 0;\n", i
}
function nested_loops(   i) {
    for (i = 0; i < n; i++)
        printf "L%d:\nadd.u32 %%r2, %%r2, 1;\nbar.sync 0;\n", i
    for (i = n - 1; i >= 0; i--)
        printf "setp.lt.u32 %%p1, %%r2, 0;\n@%%p1 bra L%d;\n", i
}
function straight(   i) {
    print "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r4, shared;"
    for (i = 0; i < n; i++) {
        printf "ld.shared.u32 %%r3, [%%r4+%d];\nst.global.u32 [%%rd2+%d], %%r3;\n", i * 4 % 4096, i * 4 % 4096
        printf "mul.lo.u32 %%r2, %%r3, %%r2;\nadd.u32 %%r2, %%r2, %d;\n", i
    }
}
function backwards(   i) {
    printf "bra L%d;\n", n - 1
    for (i = 0; i < n; i++)
        printf "L%d:\nadd.u32 %%r2, %%r2, %%r1;\nsetp.gt.u32 %%p1, %%r2, 1000000;\n@%%p1 bra E;\nbra %s;\n", i,
            (i ? "L" (i - 1) : "E")
    print "E:"
}
function backwards_moves(   i) {
    printf ".reg .b64 %%m<%d>;\n", n + 1
    for (i = n - 1; i > 0; i--)
        printf "add.u64 %%m%d, %%m%d, 4;\n", i, i - 1
    printf "mov.u64 %%m0, shared;\nld.shared.u32 %%r3, [%%m%d];\n", n - 1
}
function labels(   i) {
    for (i = 0; i < n; i++)
        printf "L%d:\n", i
}
function table(   i) {
    printf "bra T;\nTB: .branchtargets L0"
    for (i = 1; i < n; i++)
        printf ",L%d", i
    print ";\nT:\nbrx.idx %r1, TB;"
    for (i = 0; i < n; i++)
        printf "L%d:\nadd.u32 %%r2, %%r2, %d;\n", i, i
}
function registers(   i) {
    printf ".reg .b64 %%m<%d>;\n", n
    for (i = 0; i < n; i++)
        printf "cvt.u64.u32 %%m%d, %%r1;\n", i
    for (i = 0; i < n; i++)
        printf "add.u64 %%rd3, %%rd3, %%m%d;\n", i
}
function arrays(   i) {
    for (i = 0; i < n; i++)
        printf ".local .align 4 .b8 a%d[4];\n", i
    for (i = 0; i < n; i++)
        printf "mov.u64 %%rd3, a%d;\nld.local.u32 %%r3, [%%rd3];\n", i
}
function circle(   i) {
    for (i = 0; i < n; i++)
        printf ".func f%d;\n", i
    for (i = 0; i < n; i++)
        printf ".func f%d\n{\ncall.uni f%d, ();\nret;\n}\n", i, (i + 1) % n
}

BEGIN {
    head()
    if (what == "circle") {
        circle()
        entry()
        print "call.uni f0, ();"
    } else {
        entry()
        if (what == "else_ifs") else_ifs()
        else if (what == "nested_ifs") nested_ifs()
        else if (what == "nested_barriers") nested_barriers()
        else if (what == "nested_loops") nested_loops()
        else if (what == "straight") straight()
        else if (what == "backwards") backwards()
        else if (what == "backwards_moves") backwards_moves()
        else if (what == "labels") labels()
        else if (what == "table") table()
        else if (what == "registers") registers()
        else if (what == "arrays") arrays()
        else exit 1
    }
    leave()
}
