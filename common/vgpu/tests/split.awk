# split.awk - a seed per kernel: awk -v out=PREFIX -f split.awk FILE.ptx
# Small inputs are worth more to a fuzzer than large ones. What stands before the first kernel goes with each of them.
/^(\.visible |\.weak )?\.entry/ { number++; file = out "-" number ".ptx"; printf "%s", before > file }
!number { before = before $0 "\n"; next }
{ print > file }
/^}/ { close(file); file = "/dev/null" }
