/* instructions.h - the instruction set beyond arithmetic: which file decodes and executes which opcodes.
 * The table is instructions.def; arithmetic has its rows in the .def files of alu/. */
#ifndef VGPU_INSTRUCTIONS_H
#define VGPU_INSTRUCTIONS_H

#include "decode/decode.h"

extern const struct instruction_set instruction_set;

/* Families, each in its own file. */
decode_fn decode_bra, decode_brx, decode_call, decode_ret, decode_exit, decode_trap;   /* control.c */
decode_fn decode_nanosleep, decode_alloca, decode_nothing, decode_policy, decode_mapa; /* control.c */
decode_fn decode_mov, decode_setp;                                                     /* moves.c */
decode_fn decode_ld, decode_st, decode_prefetch, decode_isspacep, decode_cvta;         /* mem_decode.c */
decode_fn decode_cp_async;                                                             /* cpasync.c */
decode_fn decode_atom, decode_red;                                                     /* atomic.c */
decode_fn decode_bar, decode_barrier, decode_fence;                                    /* sync.c */
decode_fn decode_mbarrier;                                                             /* mbarrier.c */
decode_fn decode_shfl, decode_vote, decode_match, decode_redux;                        /* warpops.c */
decode_fn decode_activemask, decode_elect;                                             /* warpops.c */
decode_fn decode_tex, decode_txq;                                                      /* tex.c */
decode_fn decode_surface;                                                              /* surf.c */

#endif
