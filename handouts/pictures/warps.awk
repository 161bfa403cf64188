# warps.awk - grid, block, warp, lane, and where each of them runs.
BEGIN {
    begin_svg(800, 352, "Grid, block, warp, lane", "A grid is made of blocks, a block of warps, a warp of 32 lanes. A block of 256 threads has 8 warps. Blocks are given to SMs; warps are given to the four schedulers of their SM; the lanes of a warp execute one instruction together.")
    # grid
    text(20, 24, "grid", "strong"); text(20, 42, "one launch", "small dim")
    for (i = 0; i < 4; i++)
        for (k = 0; k < 4; k++)
            box(20 + k * 44, 54 + i * 44, 40, 40, i * 4 + k, i == 1 && k == 3 ? "a" : "off", "small")
    # block
    wire(192, 98, 262, 54, "wa"); wire(192, 138, 262, 250, "wa")
    text(266, 24, "block", "strong"); text(266, 42, "256 threads: 8 warps", "small dim")
    rect(262, 54, 178, 196, "a", 4)
    for (i = 0; i < 8; i++)
        box(270, 60 + i * 23.5, 162, 20, "warp " i, i == 2 ? "b" : "off", "small")
    # warp
    wire(432, 107, 506, 54, "wb"); wire(432, 127, 506, 158, "wb")
    text(510, 24, "warp", "strong"); text(510, 42, "32 lanes, one instruction", "small dim")
    rect(506, 54, 274, 104, "b", 4)
    for (i = 0; i < 32; i++)
        box(514 + i % 8 * 32.5, 60 + int(i / 8) * 23.5, 30, 20, i, i == 5 ? "c" : "off", "tiny")
    text(506, 182, "lane 5 of warp 2 is thread 2 × 32 + 5 = 69", "small")
    text(506, 200, "of its block: threadIdx.x / 32 is the warp,", "small"); text(506, 218, "threadIdx.x % 32 the lane.", "small")
    text(506, 242, "Lanes without work wait for their warp.", "small")
    # where
    wire(20, 268, 780, 268)
    text(20, 292, "on the GPU", "strong")
    text(20, 314, "all SMs share", "small"); text(20, 332, "the blocks of a grid", "small")
    text(262, 314, "one SM; a block stays there to its end.", "small"); text(262, 332, "at most " gpu("max_threads") " threads per SM (H200)", "small")
    text(506, 314, "one of the SM's " gpu("schedulers_per_sm") " schedulers: each issues", "small"); text(506, 332, "one warp's instruction in a clock", "small")
    end_svg()
}
