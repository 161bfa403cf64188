# halo.awk - three time steps on a tile of 32 by 32 cells: what is still right after each, and how the tiles of neighbours overlap.
function tile(x, y, step, class,   side, cell) {
    side = 112; cell = side / TILE
    rect(x, y, side, side, "off")
    rect(x + step * cell, y + step * cell, side - 2 * step * cell, side - 2 * step * cell, class)
    text(x + side / 2, y + side / 2 + 5, (TILE - 2 * step) " × " (TILE - 2 * step), "mid")
    text(x + side / 2, y - 8, step == 0 ? "loaded" : "after step " step, "mid small")
}
# A row of the cross section: what three neighbouring tiles hold after so many steps.
function level(y, step,   block, x, scale) {
    scale = 6.5
    for (block = 0; block < 3; block++) {
        x = 130 + block * (TILE - 2 * STEPS) * scale + step * scale
        rect(x, y + block * 11, (TILE - 2 * step) * scale, 9, step == STEPS ? "c" : block % 2 ? "b" : "a")
    }
    text(20, y + 20, step == 0 ? "loaded" : "after step " step, "small")
    text(690, y + 20, step == 0 ? "32 cells each" : step == STEPS ? (TILE - 2 * step) ", written" : (TILE - 2 * step) " right", "small")
}
BEGIN {
    TILE = 32; STEPS = 3
    begin_svg(800, 400, "Three time steps on a tile with a halo", "A tile of 32 by 32 cells is loaded. After each time step the cells that are right have become fewer by one on every side: 30 by 30, 28 by 28, 26 by 26. The last are written. Below, a cross section of three neighbouring tiles: they overlap by 6 cells when they are loaded, and touch when they are written.")
    text(20, 24, "One tile, seen from above", "strong")
    for (step = 0; step <= STEPS; step++)
        tile(40 + step * 202, 60, step, step == STEPS ? "c" : "a")
    text(20, 208, "Three tiles side by side, cut through: they overlap by 2 k = " 2 * STEPS " cells", "strong")
    for (step = 0; step <= STEPS; step++)
        level(224 + step * 42, step)
    end_svg()
}
