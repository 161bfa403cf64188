/* screen.h - a picture of text that is drawn again in the same place: of what is printed, as much as the terminal has room for.
 * Where standard output is no terminal, it is printed as it comes, with nothing that steers one. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct screen {
    bool is_terminal;
    FILE *out;         /* where pictures go */
    FILE *body;        /* what was printed since screen_begin(); NULL: no terminal, or no memory */
    char *text;        /* of body */
    size_t bytes;      /* of body */
    int rows, columns; /* of the last picture */
};

/* What stands on the terminal is moved up, and is still there above. */
void screen_open(struct screen *screen);
void screen_close(struct screen *screen);
/* A new picture, with nothing on it yet. */
void screen_begin(struct screen *screen);
/* Between these two, standard output is the picture. */
void screen_take(struct screen *screen);
void screen_give(struct screen *screen);
/* Draws it, with these lines below, which have room before all others. No terminal: nothing happens. */
void screen_draw(struct screen *screen, const char *below);
/* The terminal has another size than when it was drawn. */
bool screen_is_stale(const struct screen *screen);
/* False: it is a pipe that nobody reads any more. */
bool screen_has_reader(const struct screen *screen);

#endif
