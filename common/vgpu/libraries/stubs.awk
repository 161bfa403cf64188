# stubs.awk - writes C for the functions that a library's headers declare and its objects lack: each says so and fails.
# awk -f stubs.awk -v type=cublasStatus_t -v status=15 -v library=cuBLAS DEFINED HEADER...
# DEFINED holds a name per line: what is there already. The C needs no prototypes: arguments are not looked at.
FNR == NR { defined[$1] = 1; next }
FNR == 1 { text = text "\n" }
/^[ \t]*#/ { next }
{ gsub(/\/\/.*/, ""); text = text " " $0 }
END {
    print "void vgpu_unsupported(const char *call, const char *why);"
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
    gsub(/static inline [^(]*\(/, " ", text)
    while (match(text, type "[ \t]+(CUBLASWINAPI|CURANDAPI)[ \t]+[A-Za-z0-9_]+[ \t]*\\(")) {
        name = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        sub(/[ \t]+$/, "", name)
        sub(/.*[ \t]/, "", name)
        if (name in defined || name in seen) continue
        seen[name] = 1
        shown = name
        sub(/_v2$/, "", shown)
        printf "int %s(void) { vgpu_unsupported(\"%s\", \"this part of %s\"); return %d; }\n", name, shown, library, status
    }
}
