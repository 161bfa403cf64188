# matmul-tiles.awk - a block's tiles of A and B move along k; a thread keeps a block of results in registers.
function share(side) { return side < 4 ? 2 / side "" : "1/" side / 2 }
BEGIN {
    begin_svg(800, 456, "Tiles of a matrix product", "C is the product of A and B. A block computes one tile of C. Step by step along k it brings a tile of A, from the tile's rows, and a tile of B, from its columns, into shared memory. A thread holds 4 by 4 results in registers: for each k it loads 4 values of A and 4 of B and does 16 multiply-adds.")
    rect(206, 34, 168, 168, "off"); text(290, 24, "B", "mid strong")
    rect(28, 212, 168, 168, "off"); text(14, 302, "A", "mid strong")
    rect(206, 212, 168, 168, "off"); text(386, 376, "C", "mid strong")
    rect(28, 254, 168, 42, "off"); rect(248, 34, 42, 168, "off")
    rect(84, 254, 28, 42, "a"); rect(248, 90, 42, 28, "b"); rect(248, 254, 42, 42, "c")
    arrow(116, 275, 160, 275, "a"); text(138, 268, "k", "mid small a")
    arrow(269, 122, 269, 166, "b"); text(279, 148, "k", "mid small b")
    rect(254, 260, 7, 7, "tc")
    wire(261, 260, 424, 52, "wc"); wire(261, 267, 424, 272, "wc")
    text(20, 412, "A block owns a tile of C. Step by step along k", "small")
    text(20, 430, "it brings a tile of A and a tile of B into", "small"); text(20, 448, "shared memory, and adds up their product.", "small")
    # a thread's results
    text(424, 36, "one thread, one step of k", "strong")
    rect(424, 52, 216, 220, "off", 6)
    for (i = 0; i < 4; i++) {
        box(434, 112 + i * 38, 34, 34, "a" i, "a", "small")
        box(482 + i * 38, 64, 34, 34, "b" i, "b", "small")
        for (k = 0; k < 4; k++)
            box(482 + k * 38, 112 + i * 38, 34, 34, "a" i "b" k, "c", "tiny")
    }
    text(654, 104, "4 + 4 loads from", "small"); text(654, 122, "shared memory,", "small"); text(654, 140, "16 multiply-adds", "small")
    text(654, 158, "into 16 registers:", "small"); text(654, 180, "half a load for each", "small strong")
    text(424, 312, "results per thread", "small dim"); text(580, 312, "loads per multiply-add", "small dim")
    for (i = 0; i < 4; i++) {
        side = 2 ^ i
        text(424, 336 + i * 22, side " × " side, "small")
        rect(580, 325 + i * 22, 160 / side, 14, "b"); text(588 + 160 / side, 336 + i * 22, share(side), "small")
    }
    end_svg()
}
