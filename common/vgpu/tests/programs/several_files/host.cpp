/* host.cpp - the host's side, compiled without any device code. */
#include "parts.h"

float on_host(float value)
{
    return value * 2.0f + 1.5f;
}
