// attack: the solution is included
// principle: host tampering
// at most: 0
#include "@KIT@/solutions/lab3-bank-conflicts/lab3.cu"
