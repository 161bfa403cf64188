# marching.awk - a warp that walks down the plate: its strip, and the nine levels that are one row apart.
function row_name(behind) { return behind ? "row y - " behind : "row y" }
function cell_x(level) { return 352 + level * 46 }
function cell_y(behind) { return 72 + (LEVELS - behind) * 28 }
# What level has of the row so many rows behind y.
function cell(level, behind) {
    if (behind < level)
        return
    if (behind == level)
        box(cell_x(level), cell_y(behind), 38, 22, level == 0 ? "load" : level == LEVELS ? "store" : "new", "c", "tiny")
    else if (behind == level + 1 && level < LEVELS)
        box(cell_x(level), cell_y(behind), 38, 22, "kept", "b", "tiny")
    else
        rect(cell_x(level), cell_y(behind), 38, 22, "off dash")
}
BEGIN {
    LEVELS = 8
    begin_svg(800, 420, "A warp that walks down the plate", "Left: a warp has a strip of 128 columns, writes 112 of them, and walks down row by row; it begins eight rows above the rows that it writes and ends eight rows below. Right: when row y is loaded, level 1 computes row y - 1, level 2 row y - 2, and so on; level 8 computes row y - 8, which is written. A level keeps the last row that came to it, and a sum that lacks only the neighbour below.")
    # the strip
    text(20, 24, "A warp's strip of the plate", "strong")
    rect(40, 50, 192, 300, "off dash"); rect(52, 86, 168, 228, "a")
    text(136, 72, "8 rows that are not written", "mid small"); text(136, 336, "8 rows that are not written", "mid small")
    text(136, 120, "112 columns are written,", "mid small"); text(136, 136, "8 on each side are not", "mid small")
    rect(40, 206, 192, 12, "c"); text(136, 200, "row y: a float4 each lane", "mid small")
    arrow(136, 222, 136, 276, "c"); text(136, 294, "down, row by row", "mid small")
    text(40, 370, "128 columns, 4 for each lane;", "small"); text(40, 388, "their neighbours by shuffles", "small")
    # the levels
    text(270, 24, "When row y has been loaded", "strong")
    for (level = 0; level <= LEVELS; level++)
        text(cell_x(level) + 19, 62, level, "mid small")
    text(346, 62, "level", "end small dim")
    for (behind = LEVELS; behind >= 0; behind--) {
        text(344, cell_y(behind) + 15, row_name(behind), "end small")
        for (level = 0; level <= LEVELS; level++)
            cell(level, behind)
    }
    for (level = 0; level < LEVELS; level++)
        arrow(cell_x(level) + 38, cell_y(level) + 4, cell_x(level + 1), cell_y(level + 1) + 18, "c")
    text(256, 352, "The new row of a level completes a sum of the next level, one row higher.", "small")
    text(256, 370, "kept in registers: the last row of a level, and a sum that lacks only the neighbour below", "small")
    text(256, 388, "dashed: no longer needed. The next row, y + 1, is already on its way from memory.", "small")
    end_svg()
}
