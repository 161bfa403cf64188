// says: #include
#include "lab99.h"
int x;
