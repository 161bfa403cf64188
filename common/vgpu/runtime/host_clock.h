/* host_clock.h - the host's clocks as the program reads them. */
#ifndef VGPU_HOST_CLOCK_H
#define VGPU_HOST_CLOCK_H

/* A kernel was executed: whoever has read a clock before and reads it again has timed it. */
void host_clock_launched(void);

#endif
