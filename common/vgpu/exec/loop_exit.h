/* loop_exit.h - what decides whether a loop is ever left: loop_exit.c. */
#ifndef VGPU_EXEC_LOOP_EXIT_H
#define VGPU_EXEC_LOOP_EXIT_H

#include "core/loop_exit.h"

loop_exit_fn loop_exit_find;

#endif
