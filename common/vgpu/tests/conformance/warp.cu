/* warp.cu - instructions of a warp and of a block: shuffles, votes, matches, reductions, barriers.
 * The cases are in warp.def; all of them are deterministic, whatever order warps run in.
 * What lanes compute alone is the arithmetic families' business. */
#define CASES "warp.def"
#include "by_hand_cases.cuh"

extern "C" const struct suite_family suite_warp;
const struct suite_family suite_warp = {"warp", cases, sizeof cases / sizeof cases[0], run};
