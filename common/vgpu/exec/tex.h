/* tex.h - what texture and surface instructions share: objects by handle, images in memory, operand lists.
 * An image's bytes are looked up for every instruction, so an array that was freed is noticed.
 * Only tex.c and surf.c include this. */
#ifndef VGPU_TEX_H
#define VGPU_TEX_H

#include "decode/decode.h"
#include "exec/texture.h"

struct allocation;

struct shape_name {
    const char *part;
    uint8_t coords;
    bool is_layered;
};
extern const struct shape_name shape_names[SHAPES];

/* The shape an opcode names; SHAPES: none. */
enum texture_shape shape_find(const struct opcode *opcode);

/* [object, {layer, coordinates}]: adds the handle, then as many registers as the shape has. */
bool decode_texture_address(struct decoder *decoder, const struct ptx_insn *in,
                            const struct ptx_operand *operand, enum texture_shape shape, char letter,
                            struct insn *out);
/* {a, b, c, d} or a. */
bool decode_dest_list(struct decoder *decoder, const struct ptx_operand *operand, char letter,
                      struct insn *out);

/* Reports a handle that stands for nothing and ends the launch. */
enum step texture_fault(struct warp *warp, const struct insn *insn, int lane, const char *what,
                        uint64_t handle);
/* Where the image's bytes are; false: its memory was freed. */
bool image_resolve(struct warp *warp, const struct texture_image *image, struct image_view *view,
                   struct allocation **allocation);
/* Reports that and ends the launch. */
enum step image_gone(struct warp *warp, const struct insn *insn, int lane, const struct texture_image *image,
                     bool is_write);
/* The lanes of rest that use the same handle as its first lane. */
uint32_t same_handles(const uint64_t *handles, uint32_t rest);

#endif
