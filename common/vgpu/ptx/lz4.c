/* lz4.c - decodes one LZ4 block: runs of literals, each followed by a copy of earlier output.
 * No byte is read outside the input or written outside the output, whatever the block says.
 * No frames, no checksums, no compression. */
#include "ptx/lz4.h"

#include <string.h>

enum { SHORTEST_MATCH = 4, LONG_LENGTH = 15 };

struct stream {
    const uint8_t *pos, *end;
};

/* A length of 15 goes on in further bytes, up to the first that is not 255. */
static bool read_length(struct stream *in, size_t *length)
{
    if (*length != LONG_LENGTH)
        return true;
    uint8_t byte;
    do {
        if (in->pos == in->end)
            return false;
        byte = *in->pos++;
        *length += byte;
    } while (byte == 255);
    return true;
}

static bool copy_literals(struct stream *in, uint8_t *out, size_t *used, size_t out_size, size_t length)
{
    if (length > (size_t)(in->end - in->pos) || length > out_size - *used)
        return false;
    if (length)
        memcpy(out + *used, in->pos, length);
    in->pos += length;
    *used += length;
    return true;
}

/* The source may overlap the destination: bytes are copied one after the other. */
static bool copy_match(struct stream *in, uint8_t *out, size_t *used, size_t out_size, size_t length)
{
    if (in->end - in->pos < 2)
        return false;
    size_t distance = (size_t)(in->pos[0] | in->pos[1] << 8);
    in->pos += 2;
    if (!read_length(in, &length))
        return false;
    length += SHORTEST_MATCH;
    if (!distance || distance > *used || length > out_size - *used)
        return false;
    for (size_t i = 0; i < length; i++, ++*used)
        out[*used] = out[*used - distance];
    return true;
}

bool lz4_decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
    struct stream stream = {in, in + in_size};
    size_t used = 0;
    while (stream.pos < stream.end) {
        uint8_t token = *stream.pos++;
        size_t literals = token >> 4;
        if (!read_length(&stream, &literals) || !copy_literals(&stream, out, &used, out_size, literals))
            return false;
        if (stream.pos == stream.end) /* the last run has no match */
            break;
        if (!copy_match(&stream, out, &used, out_size, token & 15))
            return false;
    }
    return used == out_size;
}
