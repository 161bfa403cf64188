/* diagnosis.h - what a compiler says of a file, for whoever wrote it: the errors in it, the lines as they stand in it, and what mostly
 * fixes them. Notes about the system's headers, and what follows from an error on the same line, are left out. */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

/* said: by nvcc; name: of the file, as the compiler calls it; source: its text. Lines of the form "lab3.cu(12): error: ...", each
 * with the source line below it, a caret where its column is known, and "-> " with advice where a row of diagnosis.def fits.
 * "": nothing was understood. NULL: no memory. */
char *diagnosis_write(const char *said, const char *name, const char *source);
/* The same of its warnings, once each, and of conditions that are assignments, which no compiler warns of here. */
char *diagnosis_warn(const char *said, const char *name, const char *source);
/* The text with blanks for comments and literals: all places stay where they are. To be freed; NULL: out of memory. */
char *diagnosis_blank(const char *source);

#endif
