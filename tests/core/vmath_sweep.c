/* Measures the errors of core-c/src/base/vmath.h in units in the last place against the C library in a wider type.
 * Prints a line per function and fails where an error is above its bound, or where one of result and reference is NaN
 * and the other is not, or their signs differ.
 * Arguments: a function's name (or "all"), a factor for the number of points. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vmath.h"
#include "vmath_reference.h"

typedef double function(double x, double y);
typedef long double reference(double x, double y);

typedef struct {
    const char *name;
    bool is_f32, is_binary;
    function *evaluate;
    reference *expected;
    double bound, low, high;
    function *least;
} subject;

#define COMMON(name, least)                                                                                            \
    static double least_##name(double x, double y)                                                                     \
    {                                                                                                                  \
        (void)x, (void)y;                                                                                              \
        return least;                                                                                                  \
    }
#define UNARY(name, bound_f32, bound_f64, low, high, least)                                                            \
    COMMON(name, least)                                                                                                \
    static double name##_f32(double x, double y) { return (void)y, pwt_##name##_f32((float)x); }                       \
    static double name##_f64(double x, double y) { return (void)y, pwt_##name##_f64(x); }                              \
    static long double expected_##name##_f32(double x, double y) { return (void)y, reference_##name(x); }              \
    static long double expected_##name##_f64(double x, double y) { return (void)y, reference_##name##_long(x); }
#define BINARY(name, bound_f32, bound_f64, low, high, least)                                                           \
    COMMON(name, least)                                                                                                \
    static double name##_f32(double x, double y) { return pwt_##name##_f32((float)x, (float)y); }                      \
    static double name##_f64(double x, double y) { return pwt_##name##_f64(x, y); }                                    \
    static long double expected_##name##_f32(double x, double y) { return reference_##name(x, y); }                    \
    static long double expected_##name##_f64(double x, double y) { return reference_##name##_long(x, y); }
#include "vmath_functions.h"
#undef UNARY
#undef BINARY

#define BOTH(name, binary, bound_f32, bound_f64, low, high)                                                            \
    {#name, true, binary, name##_f32, expected_##name##_f32, bound_f32, low, high, least_##name},                      \
    {#name, false, binary, name##_f64, expected_##name##_f64, bound_f64, low, high, least_##name},
#define UNARY(name, bound_f32, bound_f64, low, high, least) BOTH(name, false, bound_f32, bound_f64, low, high)
#define BINARY(name, bound_f32, bound_f64, low, high, least) BOTH(name, true, bound_f32, bound_f64, low, high)
static const subject subjects[] = {
#include "vmath_functions.h"
};

static const double specials[] = {
    0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1.5, -1.5, 4.0, -4.0, 1e10,
    0x1p-149, -0x1p-149, 0x1p-126, -0x1p-126, 0x1.fffffep127, -0x1.fffffep127, 16777215.0, -16777215.0, 16777216.0,
    0x1p-1074, -0x1p-1074, 0x1p-1022, -0x1p-1022, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p53,
    0x1p53 - 1, -0x1p53 + 1};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Half of the numbers over all exponents, half uniform between low and high. */
static double draw(const subject *s)
{
    uint64_t bits = random_bits();
    double x = s->low + (s->high - s->low) * (double)(random_bits() >> 11) * 0x1p-53;
    if (random_bits() & 1)
        x = s->is_f32 ? (double)pwt_from_bits_f32((uint32_t)bits) : pwt_from_bits_f64(bits);
    return s->is_f32 ? (double)(float)x : x;
}

/* The distance in units of the last place of want or least, whichever is larger; -1 for a NaN or sign that is wrong. */
static double error_in_ulp(const subject *s, long double got, long double want, double least)
{
    int bits = s->is_f32 ? 24 : 53, min_exponent = s->is_f32 ? -126 : -1022, max_exponent = s->is_f32 ? 128 : 1024;
    long double overflow = ldexpl(1.0L, max_exponent);
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : -1;
    if (signbit(got) != signbit(want) && least == 0)
        return -1;
    got = fabsl(got) > overflow ? copysignl(overflow, got) : got;
    want = fabsl(want) > overflow ? copysignl(overflow, want) : want;
    long double magnitude = fmaxl(fabsl(want), least);
    int exponent = magnitude == 0 ? min_exponent : ilogbl(magnitude);
    exponent = exponent < min_exponent ? min_exponent : exponent >= max_exponent ? max_exponent - 1 : exponent;
    return (double)ldexpl(fabsl(got - want), bits - 1 - exponent);
}

static bool measure(const subject *s, int64_t points)
{
    double worst = 0, worst_x = 0, worst_y = 0;
    random_state = 1;
    int64_t pairs = s->is_binary ? SPECIALS * SPECIALS : SPECIALS;
    for (int64_t i = 0; i < points + pairs; i++) {
        double x = i < pairs ? specials[i % SPECIALS] : draw(s), y = i < pairs ? specials[i / SPECIALS] : draw(s);
        x = s->is_f32 ? (double)(float)x : x;
        y = s->is_f32 ? (double)(float)y : y;
        double error = error_in_ulp(s, s->evaluate(x, y), s->expected(x, y), s->least(x, y));
        if (error < 0 || error > worst) {
            worst = error;
            worst_x = x;
            worst_y = y;
            if (error < 0)
                break;
        }
    }
    bool good = worst >= 0 && worst <= s->bound;
    printf("%-22s %s %8.3f of %-5g at %.17g", s->name, s->is_f32 ? "f32" : "f64", worst, s->bound, worst_x);
    if (s->is_binary)
        printf(", %.17g", worst_y);
    printf("%s\n", good ? "" : worst < 0 ? "   WRONG" : "   ABOVE");
    return good;
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : "all";
    double factor = count > 2 ? atof(arguments[2]) : 1;
    bool good = true;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        const subject *s = &subjects[i];
        if (!strcmp(only, "all") || !strcmp(only, s->name))
            good &= measure(s, (int64_t)((s->is_f32 ? 200000 : 100000) * factor));
    }
    return good ? 0 : 1;
}
