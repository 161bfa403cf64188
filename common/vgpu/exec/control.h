/* control.h - steps that change where a warp goes; flow.c recognises them by these names. */
#ifndef VGPU_CONTROL_H
#define VGPU_CONTROL_H

#include "core/machine.h"

step_fn step_bra, step_brx, step_call, step_ret, step_exit, step_trap;

/* sync.c */
step_fn step_bar, step_bar_warp;

#endif
