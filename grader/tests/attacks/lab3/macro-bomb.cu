// attack: macros that double thirty times
// principle: resources
// at most: 0
// long: the compiler runs into the limit of its time
#include "lab3.h"
#define A x = x * 3 + 1; x = x * 5 + 2;
#define B A A A A A A A A
#define C B B B B B B B B
#define D C C C C C C C C
#define E D D D D D D D D
#define F E E E E E E E E
#define G F F F F F F F F
#define H G G G G G G G G
#define I H H H H H H H H
__global__ void k(float *o) { float x = *o; I *o = x; }
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(out); }
