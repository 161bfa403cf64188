/* references.h - what others take for the same product: build/lab5 --references. */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "lab/lab.h"

lab_references_fn references_print;

#endif
