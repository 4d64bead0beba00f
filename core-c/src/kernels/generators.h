/* The generators that a program holds, by number: 0 is the default one. */
#pragma once
#include "base/random.h"

PwtGenerator *pwt_generator_at(int64_t number); /* NULL and a RuntimeError where there is none */
