# matmul-tiles.awk - stage 5 of lab 5: a block's tiles of A and B move along k, and what the lanes of a warp read of them; and how
# many operands each stage loads for a multiply-add.
function stage(i, words, operands) {
    text(424, 356 + i * 22, words, "small")
    rect(580, 345 + i * 22, 80 * operands, 14, "b"); text(588 + 80 * operands, 356 + i * 22, operands "", "small")
}
BEGIN {
    begin_svg(800, 456, "Tiles of a matrix product", "C is the product of A and B. A block of 32 by 32 threads computes one tile of C, a result per thread. Step by step along k it brings a tile of A, from the tile's rows, and a tile of B, from its columns, into shared memory. In a step of the loop the lanes of a warp read one word of A's tile, a broadcast, and 32 neighbours of B's tile, in 32 banks: two loads for a multiply-add. With 2 results per thread it is 1.5, with 4 by 4 half a load, with 8 by 8 a quarter.")
    rect(206, 34, 168, 168, "off"); text(290, 24, "B", "mid strong")
    rect(28, 212, 168, 168, "off"); text(14, 302, "A", "mid strong")
    rect(206, 212, 168, 168, "off"); text(386, 376, "C", "mid strong")
    rect(28, 254, 168, 42, "off"); rect(248, 34, 42, 168, "off")
    rect(84, 254, 42, 42, "a"); rect(248, 90, 42, 42, "b"); rect(248, 254, 42, 42, "c")
    arrow(130, 275, 174, 275, "a"); text(152, 268, "k", "mid small a")
    arrow(269, 136, 269, 180, "b"); text(279, 162, "k", "mid small b")
    text(20, 412, "A block owns a tile of C, 32 × 32 results. Step by", "small")
    text(20, 430, "step along k it brings a tile of A and one of B into", "small"); text(20, 448, "shared memory, and adds up their product.", "small")
    # what a warp reads: 8 lanes stand for 32
    text(424, 36, "one warp, one step i of the loop", "strong")
    for (i = 0; i < 8; i++) {
        x = 424 + i * 30
        wire(x + 15, 142, 424 + 3 * 30 + 15, 84, "wa"); wire(x + 15, 168, x + 15, 226, "wb")
    }
    for (i = 0; i < 8; i++) {
        x = 424 + i * 30
        box(x, 58, 30, 26, i == 3 ? "i" : "", i == 3 ? "a" : "off", "small")
        box(x, 142, 30, 26, i "", "c", "small"); box(x, 226, 30, 26, "", "b", "small")
    }
    text(676, 68, "tile_a[ty][i]", "small mono"); text(676, 86, "one word for all:", "small"); text(676, 104, "a broadcast", "small")
    text(676, 160, "lanes", "small strong")
    text(676, 236, "tile_b[i][tx]", "small mono"); text(676, 254, "a row: 32 banks,", "small"); text(676, 272, "no conflict", "small")
    text(424, 290, "Eight lanes stand for 32. Each load takes one wavefront.", "small dim")
    text(424, 330, "results per thread", "small strong"); text(580, 330, "operands per multiply-add", "small strong")
    stage(0, "stage 5: 1", 2); stage(1, "stage 6: 2 × 1", 1.5); stage(2, "stage 4: 4 × 4", 0.5); stage(3, "stage 10: 8 × 8", 0.25)
    end_svg()
}
