#!/bin/sh
# embed.sh - turns profiles into one C file, so that the library needs no files at run time: embed.sh A.gpu ... > gpus.c
# The order of the arguments is the order of gpu_at(). It does not check the profiles: gpu.c does, and its test.
echo '/* Made by embed.sh. */'
echo '#include <stddef.h>'
echo '#include "core/gpu_text.h"'
echo 'const struct gpu_text gpu_texts[] = {'
for file in "$@"; do
    printf '{"%s",\n' "$(basename "$file" .gpu)"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' "$file"
    echo '},'
done
echo '{NULL, NULL}};'
