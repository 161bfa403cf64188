/* stamps.c - the arrays of stamps that say who touched a word or a byte last. */
#include <stdlib.h>
#include <string.h>

#include "check/shadow.h"

bool stamps_make(struct stamps *stamps, size_t count)
{
    size_t padded = (count + 127) & ~(size_t)63;
    uint8_t *memory = calloc(padded, 3 * sizeof(uint32_t) + 3 * sizeof(uint16_t));
    if (!memory)
        return false;
    stamps->write = (uint32_t *)(void *)memory;
    stamps->read = stamps->write + padded;
    stamps->read_before = stamps->read + padded;
    stamps->write_site = (uint16_t *)(void *)(stamps->read_before + padded);
    stamps->read_site = stamps->write_site + padded;
    stamps->read_before_site = stamps->read_site + padded;
    return true;
}

void stamps_clear(struct stamps *stamps, size_t count)
{
    memset(stamps->write, 0, count * sizeof *stamps->write);
    memset(stamps->read, 0, count * sizeof *stamps->read);
    memset(stamps->read_before, 0, count * sizeof *stamps->read_before);
}

void stamps_free(struct stamps *stamps)
{
    free(stamps->write); /* the arrays of one struct stamps are one allocation */
    memset(stamps, 0, sizeof *stamps);
}
