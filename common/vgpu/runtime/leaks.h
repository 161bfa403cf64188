/* leaks.h - what was never freed: leaks.c. */
#ifndef VGPU_LEAKS_H
#define VGPU_LEAKS_H

void leaks_report(void);

#endif
