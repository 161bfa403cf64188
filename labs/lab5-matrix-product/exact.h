/* exact.h - what the product of two matrices is, computed in double precision, and what wrong ones look like. */
#ifndef EXACT_H
#define EXACT_H

#include "lab/lab.h"

lab_reference_fn exact_product;
lab_element_fn exact_element;
lab_recognise_fn exact_recognise;

#endif
