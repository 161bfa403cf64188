/* lz4.h - decodes one LZ4 block, the compression of nvcc -compress-mode=speed. */
#ifndef VGPU_LZ4_H
#define VGPU_LZ4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills out[0..out_size) exactly. False: the block is cut, corrupt or of another size. */
bool lz4_decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);

#endif
