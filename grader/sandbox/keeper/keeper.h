/* keeper.h - the parts of the keeper: main.c starts and waits, confine.c takes rights away. */
#ifndef KEEPER_H
#define KEEPER_H

#include <stdbool.h>

/* Paths that may be read, and those that may be written as well; NULL at the end. */
bool confine_files(char *const *readable, char *const *writable);
/* Refuses system calls that no compiler and no program of a lab needs; with `is_netless`, sockets too. */
bool confine_calls(bool is_netless);
/* Processes are counted from here on, for this program and its children alone. */
bool confine_users(void);

#endif
