/* host.h - what nvcc gives to host code and clang does not. Editors include it first, by compile_commands.json; nvcc never does. */
#define HOST_MIN_MAX(type)                                                                                   \
    static inline type min(type a, type b)                                                                   \
    {                                                                                                        \
        return a < b ? a : b;                                                                                \
    }                                                                                                        \
    static inline type max(type a, type b)                                                                   \
    {                                                                                                        \
        return a < b ? b : a;                                                                                \
    }
HOST_MIN_MAX(int)
HOST_MIN_MAX(unsigned)
HOST_MIN_MAX(long)
HOST_MIN_MAX(unsigned long)
HOST_MIN_MAX(long long)
HOST_MIN_MAX(unsigned long long)
HOST_MIN_MAX(float)
HOST_MIN_MAX(double)
#undef HOST_MIN_MAX
