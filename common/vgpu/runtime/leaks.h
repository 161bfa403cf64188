/* leaks.h - what was never freed, by the lines that allocated it: memory.c. */
#ifndef VGPU_LEAKS_H
#define VGPU_LEAKS_H

void leaks_report(void);

#endif
