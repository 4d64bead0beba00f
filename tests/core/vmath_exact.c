/* Exact properties of core-c/src/base/vmath.h: neighbours, whole numbers, blocks against single elements. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/vmath.h"

static int failures;

static void check(bool good, const char *what, double x, double y)
{
    failures += !good;
    if (!good)
        printf("%s is wrong at %a, %a\n", what, x, y);
}

static uint64_t random_bits(void)
{
    static uint64_t state = 1;
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool same_f64(double a, double b)
{
    return (a != a && b != b) || pwt_bits_f64(a) == pwt_bits_f64(b);
}

static bool same_f32(float a, float b)
{
    return (a != a && b != b) || pwt_bits_f32(a) == pwt_bits_f32(b);
}

static void check_neighbours(void)
{
    static const double values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0x1p-149, -0x1p-149, 0x1p-126,
                                    0x1.fffffep127, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (int i = 0; i < VALUES * VALUES; i++) {
        double x = values[i / VALUES], y = values[i % VALUES];
        check(same_f64(pwt_nextafter_f64(x, y), nextafter(x, y)), "nextafter_f64", x, y);
        check(same_f32(pwt_nextafter_f32((float)x, (float)y), nextafterf((float)x, (float)y)), "nextafter_f32", x, y);
    }
    for (int i = 0; i < 100000; i++) {
        double x = pwt_from_bits_f64(random_bits()), y = pwt_from_bits_f64(random_bits());
        float a = pwt_from_bits_f32((uint32_t)random_bits()), b = pwt_from_bits_f32((uint32_t)random_bits());
        check(same_f64(pwt_nextafter_f64(x, y), nextafter(x, y)), "nextafter_f64", x, y);
        check(same_f32(pwt_nextafter_f32(a, b), nextafterf(a, b)), "nextafter_f32", a, b);
    }
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (uint64_t i = 0; i < exponent; i++)
        result *= base;
    return result;
}

static void check_division(int64_t x, int64_t y)
{
    /* in 128 bits nothing overflows */
    __int128 quotient = (__int128)x / y, rest = (__int128)x % y;
    check(pwt_fmod_i64(x, y) == (int64_t)rest, "fmod_i64", (double)x, (double)y);
    if (rest != 0 && (rest < 0) != (y < 0)) {
        quotient -= 1;
        rest += y;
    }
    check(pwt_floor_divide_i64(x, y) == (int64_t)(uint64_t)quotient, "floor_divide_i64", (double)x, (double)y);
    check(pwt_remainder_i64(x, y) == (int64_t)rest, "remainder_i64", (double)x, (double)y);
    int32_t a = (int32_t)x, b = (int32_t)y;
    if (a != x || b != y)
        return;
    check(pwt_floor_divide_i32(a, b) == (int32_t)(uint32_t)quotient, "floor_divide_i32", a, b);
    check(pwt_remainder_i32(a, b) == (int32_t)rest, "remainder_i32", a, b);
    check(pwt_fmod_i32(a, b) == (int32_t)(x % y), "fmod_i32", a, b);
}

static void check_integers(void)
{
    static const int64_t values[] = {0, 1, -1, 2, -2, 3, -3, 7, -7, 10, -10, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (int i = 0; i < VALUES * VALUES; i++)
        if (values[i % VALUES] != 0)
            check_division(values[i / VALUES], values[i % VALUES]);
    for (int i = 0; i < 100000; i++) {
        int64_t x = (int64_t)random_bits() >> (random_bits() & 63), y = (int64_t)random_bits() >> (random_bits() & 63);
        if (y != 0)
            check_division(x, y);
    }
    for (int i = 0; i < VALUES; i++)
        for (int64_t exponent = 0; exponent < 70; exponent++) {
            int64_t base = values[i];
            uint64_t want = power((uint64_t)base, (uint64_t)exponent);
            check((uint64_t)pwt_pow_i64(base, exponent) == want, "pow_i64", (double)base, (double)exponent);
            check((uint32_t)pwt_pow_i32((int32_t)base, (int32_t)exponent) == (uint32_t)power((uint64_t)(int32_t)base, (uint64_t)exponent),
                  "pow_i32", (double)base, (double)exponent);
        }
    check(pwt_pow_i64(2, -1) == 0 && pwt_pow_i64(0, -1) == 0 && pwt_pow_i64(1, -3) == 1, "pow_i64", 2, -1);
    check(pwt_pow_i64(-1, -3) == -1 && pwt_pow_i64(-1, -2) == 1 && pwt_pow_i32(-1, INT32_MIN) == 1, "pow_i64", -1, -3);
}

/* Blocks of every kind: all arguments near, one far, infinite or not a number. */
#define CHECK_BLOCKS(type, suffix, limit)                                                                              \
    static void check_blocks_##suffix(void)                                                                            \
    {                                                                                                                  \
        static const type far[] = {0, limit, 2 * limit, (type)1e30, (type)-1e37, (type)INFINITY, (type)NAN};           \
        type x[67], s[67], c[67], t[67];                                                                               \
        for (int kind = 0; kind < 7; kind++)                                                                           \
            for (int64_t count = 0; count <= 67; count++) {                                                            \
                for (int64_t i = 0; i < count; i++)                                                                    \
                    x[i] = (type)((double)(int64_t)random_bits() * 0x1p-58);                                           \
                if (count > 0 && kind > 0)                                                                             \
                    x[random_bits() % (uint64_t)count] = far[kind];                                                    \
                pwt_sin_block_##suffix(s, x, count);                                                                   \
                pwt_cos_block_##suffix(c, x, count);                                                                   \
                pwt_tan_block_##suffix(t, x, count);                                                                   \
                for (int64_t i = 0; i < count; i++) {                                                                  \
                    check(same_##suffix(s[i], pwt_sin_##suffix(x[i])), "sin_block_" #suffix, x[i], (double)count);     \
                    check(same_##suffix(c[i], pwt_cos_##suffix(x[i])), "cos_block_" #suffix, x[i], (double)count);     \
                    check(same_##suffix(t[i], pwt_tan_##suffix(x[i])), "tan_block_" #suffix, x[i], (double)count);     \
                }                                                                                                      \
            }                                                                                                          \
    }
CHECK_BLOCKS(float, f32, PWT_ANGLE_LIMIT_F32)
CHECK_BLOCKS(double, f64, PWT_ANGLE_LIMIT_F64)

static void check_rest_blocks(void)
{
    static const float far[][2] = {{1, 1},           {1e30f, 3},       {1, 0},          {INFINITY, 1}, {1, INFINITY},
                                   {NAN, 1},         {1, NAN},         {0x1p-149f, -1}, {3, 0x1p-149f}, {-0.0f, 2},
                                   {0x1p127f, 0x1p-149f}};
    float x[67], y[67], f[67], r[67], d[67];
    for (size_t kind = 0; kind < sizeof far / sizeof far[0]; kind++)
        for (int64_t count = 0; count <= 67; count++) {
            for (int64_t i = 0; i < count; i++) {
                x[i] = (float)((double)(int64_t)random_bits() * 0x1p-58);
                y[i] = (float)((double)(int64_t)random_bits() * 0x1p-62);
            }
            if (count > 0) {
                uint64_t place = random_bits() % (uint64_t)count;
                x[place] = far[kind][0];
                y[place] = far[kind][1];
            }
            pwt_fmod_block_f32(f, x, y, count);
            pwt_remainder_block_f32(r, x, y, count);
            pwt_floor_divide_block_f32(d, x, y, count);
            for (int64_t i = 0; i < count; i++) {
                check(same_f32(f[i], fmodf(x[i], y[i])), "fmod_block_f32", x[i], y[i]);
                check(same_f32(r[i], pwt_remainder_f32(x[i], y[i])), "remainder_block_f32", x[i], y[i]);
                check(same_f32(d[i], pwt_floor_divide_f32(x[i], y[i])), "floor_divide_block_f32", x[i], y[i]);
            }
        }
}

int main(void)
{
    check_neighbours();
    check_integers();
    check_blocks_f32();
    check_blocks_f64();
    check_rest_blocks();
    return failures != 0;
}
