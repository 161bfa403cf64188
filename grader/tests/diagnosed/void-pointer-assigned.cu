// says: cast
#include <stdlib.h>
void make(int n)
{
    float *out;
    out = malloc(n);
}
