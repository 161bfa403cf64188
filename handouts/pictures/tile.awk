# tile.awk - a transpose through a tile in shared memory: rows in, a barrier, columns out, rows again.
function cells(x, y, count, size,   i) {
    rect(x, y, count * size, count * size, "off")
    for (i = 1; i < count; i++) {
        wire(x + i * size, y, x + i * size, y + count * size); wire(x, y + i * size, x + count * size, y + i * size)
    }
}
# A matrix of 4 by 4 tiles with one of them marked, and one row of that.
function matrix(x, column, row, line, class) {
    cells(x, 44, 4, 48)
    rect(x + column * 48, 44 + row * 48, 48, 48, class)
    rect(x + column * 48 + 1, 44 + row * 48 + line * 6, 46, 6, "t" class)
}
BEGIN {
    load = 1; store = 5
    begin_svg(800, 336, "A transpose through a tile in shared memory", "A warp loads a row of a tile from the input, whose words are neighbours, and stores it as a row of the tile in shared memory. After a barrier a warp loads a column of the tile and stores it as a row of the output, whose words are neighbours again.")
    text(20, 26, "in, global memory", "strong"); text(304, 26, "tile, shared memory", "strong"); text(588, 26, "out, global memory", "strong")
    matrix(20, 2, 0, load, "a"); matrix(588, 0, 2, store, "c")
    cells(304, 44, 8, 24)
    rect(304, 44 + load * 24, 192, 24, "a"); rect(304 + store * 24, 44, 24, 192, "c"); rect(304 + store * 24, 44 + load * 24, 24, 24, "d")
    for (i = 1; i < 8; i++)
        wire(304 + i * 24, 44 + load * 24, 304 + i * 24, 68 + load * 24, "wa")
    for (i = 1; i < 8; i++)
        wire(304 + store * 24, 44 + i * 24, 328 + store * 24, 44 + i * 24, "wc")
    path("M166 53 L250 53 L250 80 L290 80", "wa"); arrow(284, 80, 302, 80, "a")
    path("M436 238 L436 256 L546 256 L546 173 L570 173", "wc"); arrow(566, 173, 586, 173, "c")
    text(238, 76, "1", "mid a strong"); text(400, 260, "2", "mid strong"); text(534, 216, "3", "mid c strong")
    text(20, 288, "1   A warp loads a row of its tile: neighbours in memory, 4 sectors. It stores a row of shared memory: 32 banks.", "small")
    text(20, 308, "2   __syncthreads(): the whole tile is there.", "small")
    text(20, 328, "3   A warp loads a column of shared memory and stores a row of the output: neighbours in memory, 4 sectors.", "small")
    end_svg()
}
