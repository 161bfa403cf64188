# banks.awk - lanes of a warp over the 32 banks of shared memory: a row of a tile, a column, and a column of a padded tile.
function bank(width, row, column) { return (row * width + column) % 32 }
function cell_class(what, r, c) { return (what == "row" ? r == 0 : c == 0) ? "b" : "off" }
# The tile's corner: each cell shows its bank.
function tile(x, y, width, what,   i, k, r, c, rows, columns) {
    split("0 1 2 3 31", rows, " "); split("0 1 2 3 31", columns, " ")
    for (i = 1; i <= 5; i++) {
        r = rows[i]
        text(x - 8, y + row_y[i] + 15, "row " r, "end tiny dim")
        for (k = 1; k <= 5; k++)
            box(x + column_x[k], y + row_y[i], 26, 20, bank(width, r, columns[k]), cell_class(what, r, columns[k]), "tiny")
        text(x + column_x[4] + 37, y + row_y[i] + 13, "…", "mid dim")
        if (width == 33)
            box(x + column_x[5] + 26, y + row_y[i], 26, 20, bank(width, r, 32), "off", "tiny dim")
    }
    text(x + 13, y + row_y[4] + 33, "⋮", "mid dim")
    if (width == 33)
        text(x + column_x[5] + 39, y - 5, "pad", "mid tiny dim")
}
function panel(y, title, result, width, what, class,   i, b) {
    text(16, y, title, "strong"); text(784, y, result, "end")
    tile(64, y + 24, width, what)
    for (i = 0; i < 32; i++) {
        b = what == "row" ? bank(width, 0, i) : bank(width, i, 0)
        wire(left + i * 15 + 7.5, y + 52, left + b * 15 + 7.5, y + 106, "w" class)
    }
    text(left, y + 28, "lanes 0 to 31", "small dim")
    for (i = 0; i < 32; i++) {
        rect(left + i * 15, y + 34, 15, 18, "a")
        rect(left + i * 15, y + 106, 15, 18, (what == "column" && width == 32) ? (i == 0 ? "bad" : "off") : "b")
    }
    text(left, y + 140, "banks 0 to 31", "small dim")
}
BEGIN {
    left = 304
    split("0 26 52 78 126", column_x, " "); split("0 20 40 60 98", row_y, " ")
    begin_svg(800, 572, "Lanes of a warp over the banks of shared memory", "A tile of 32 by 32 floats; each cell shows its bank. A warp that reads a row uses all 32 banks at once: one wavefront. A column lies in one bank alone: 32 wavefronts. With rows of 33 floats a column lies in 32 different banks: one wavefront.")
    panel(24, "a row of a tile 32 wide", "32 banks: 1 wavefront", 32, "row", "a")
    panel(204, "a column of a tile 32 wide", "1 bank, 32 words: 32 wavefronts", 32, "column", "bad")
    panel(384, "a column of a tile 33 wide", "32 banks: 1 wavefront", 33, "column", "a")
    text(16, 562, "A cell shows its bank, (row × width + column) mod 32; orange is what the warp reads.", "small dim")
    end_svg()
}
