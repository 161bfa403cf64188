// attack: an endless file is included
#include "/dev/zero"
