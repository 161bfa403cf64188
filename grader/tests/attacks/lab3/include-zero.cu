// attack: an endless file is included
// principle: resources
// at most: 0
#include "/dev/zero"
