# look-back.awk - a scan in a single pass: a tile looks back over the words of the tiles before it, and must wait for one of them.
function tile_x(tile) { return 20 + (tile - FIRST) * 110 }
# The word of a tile: what it means, and a sum.
function word(tile, y, what, sum) {
    rect(tile_x(tile), y, 100, 46, what == "all" ? "c" : what == "own" ? "b" : "off")
    text(tile_x(tile) + 50, y + 19, what == "all" ? "all up to here" : what == "own" ? "own sum" : "nothing", "mid small")
    text(tile_x(tile) + 50, y + 37, sum, "mid")
}
function words(y, eighth) {
    word(3, y, "all", 24); word(4, y, "all", 28); word(5, y, "all", 31); word(6, y, "own", 5); word(7, y, "own", 2)
    if (eighth) word(8, y, "own", 9)
    else word(8, y, "none", "")
    word(9, y, "own", 6)
    for (tile = FIRST; tile <= 9; tile++)
        text(tile_x(tile) + 50, y - 8, "tile " tile, "mid small" (tile == 9 ? " strong" : ""))
}
# From tile 9 to a tile before it.
function look(tile, y, colour,   from, to, deep) {
    from = tile_x(9) + 50; to = tile_x(tile) + 50; deep = 14 + 12 * (9 - tile)
    path("M" n(from) " " n(y) " V" n(y + deep) " H" n(to) " V" n(y + 8), "w" colour)
    printf "<polygon points=\"%s,%s %s,%s %s,%s\" class=\"t%s\"/>\n", n(to), n(y), n(to - 4), n(y + 8), n(to + 4), n(y + 8), colour
}
BEGIN {
    FIRST = 3
    begin_svg(800, 390, "Look-back: a tile adds up what the tiles before it have published", "Words of tiles 3 to 9. Tiles 3 to 5 have published the sum of all tiles up to themselves, tiles 6 and 7 only their own sum. Tile 9 looks back. First tile 8 has published nothing, so tile 9 waits. Later tile 8 has published its own sum: tile 9 adds 9, 2 and 5 and then the 31 of tile 5, which knows everything up to itself. 47 lies before tile 9, and it publishes 53.")
    text(20, 24, "Tile 9 looks back: tile 8 has published nothing yet, so it looks again", "strong")
    words(56, 0)
    look(8, 104, "bad")
    text(20, 132, "each word: 32 bits of meaning, 32 bits of sum, written and read as one", "small dim")
    text(20, 184, "A moment later: own sums of 8, 7 and 6, then the first tile that knows everything", "strong")
    words(216, 1)
    look(8, 264, "b"); look(7, 264, "b"); look(6, 264, "b"); look(5, 264, "c")
    text(20, 350, "before tile 9: 9 + 2 + 5 + 31 = 47", "")
    text(20, 374, "Tile 9 publishes \"all up to here: 47 + 6 = 53\", and writes its results. What lies further back is never read.", "small")
    end_svg()
}
