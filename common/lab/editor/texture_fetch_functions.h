/* texture_fetch_functions.h - clang's own CUDA header asks for this file, which CUDA Toolkit 13 does not have any more.
 * Only editors find it, by compile_commands.json; nvcc never does. */
template <class... T> static __attribute__((device)) void __nv_tex_surf_handler(const char *, T...);
