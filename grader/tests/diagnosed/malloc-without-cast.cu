// says: cast
#include <stdlib.h>
float *make(int n)
{
    float *out = malloc(n * sizeof(float));
    return out;
}
