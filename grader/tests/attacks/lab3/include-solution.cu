// attack: the solution is included
#include "@KIT@/solutions/lab3-bank-conflicts/lab3.cu"
