/* gpu_text.h - the profiles as text, put into the library by gpus/embed.sh. The list ends with a NULL id.
 * Only gpu.c reads it, and the test of sources. */
#ifndef VGPU_GPU_TEXT_H
#define VGPU_GPU_TEXT_H

struct gpu_text {
    const char *id, *text;
};
extern const struct gpu_text gpu_texts[];

#endif
