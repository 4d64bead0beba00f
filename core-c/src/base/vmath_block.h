/* Blocks of functions with expensive rare cases (sin, cos, tan, …): a block without a rare case takes a short loop.
 * An element's result does not depend on its block. */
#ifndef PWT_VMATH_BLOCK_H
#define PWT_VMATH_BLOCK_H

#define PWT_DEFINE_ANGLE_BLOCKS(type, word, suffix, limit)                                                             \
    PWT_INLINE bool pwt_angles_are_near_##suffix(const type *x, int64_t count)                                         \
    {                                                                                                                  \
        word largest = 0;                                                                                              \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            word bits = (word)pwt_bits_##suffix(pwt_abs_##suffix(x[i]));                                               \
            largest = bits > largest ? bits : largest;                                                                 \
        }                                                                                                              \
        return largest <= (word)pwt_bits_##suffix(limit);                                                              \
    }                                                                                                                  \
                                                                                                                       \
    /* sin(x + turn * pi/2), so that sin and cos share the code. */                                                    \
    static __attribute__((noinline, unused)) void pwt_sine_block_##suffix(type *restrict out, const type *restrict x,  \
                                                                          int64_t count, int turn)                     \
    {                                                                                                                  \
        if (pwt_angles_are_near_##suffix(x, count))                                                                    \
            for (int64_t i = 0; i < count; i++)                                                                        \
                out[i] = pwt_sine_##suffix(x[i], pwt_reduce_small_angle_##suffix(x[i]), turn);                         \
        else                                                                                                           \
            PWT_SCALAR_LOOP                                                                                            \
            for (int64_t i = 0; i < count; i++)                                                                        \
                out[i] = pwt_sine_##suffix(x[i], pwt_reduce_angle_##suffix(x[i]), turn);                               \
    }                                                                                                                  \
                                                                                                                       \
    static inline void pwt_sin_block_##suffix(type *restrict out, const type *restrict x, int64_t count)               \
    {                                                                                                                  \
        pwt_sine_block_##suffix(out, x, count, 0);                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static inline void pwt_cos_block_##suffix(type *restrict out, const type *restrict x, int64_t count)               \
    {                                                                                                                  \
        pwt_sine_block_##suffix(out, x, count, 1);                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static inline void pwt_tan_block_##suffix(type *restrict out, const type *restrict x, int64_t count)               \
    {                                                                                                                  \
        if (pwt_angles_are_near_##suffix(x, count))                                                                    \
            for (int64_t i = 0; i < count; i++)                                                                        \
                out[i] = pwt_tangent_##suffix(x[i], pwt_reduce_small_angle_##suffix(x[i]));                            \
        else                                                                                                           \
            PWT_SCALAR_LOOP                                                                                            \
            for (int64_t i = 0; i < count; i++)                                                                        \
                out[i] = pwt_tan_##suffix(x[i]);                                                                       \
    }

PWT_DEFINE_ANGLE_BLOCKS(float, int32_t, f32, PWT_ANGLE_LIMIT_F32)
PWT_DEFINE_ANGLE_BLOCKS(double, int64_t, f64, PWT_ANGLE_LIMIT_F64)

#undef PWT_DEFINE_ANGLE_BLOCKS

#define PWT_DEFINE_REST_BLOCK(name, near_result)                                                                       \
    static inline void pwt_##name##_block_f32(float *restrict out, const float *restrict x, const float *restrict y,   \
                                              int64_t count)                                                           \
    {                                                                                                                  \
        int32_t rare = 0;                                                                                              \
        for (int64_t i = 0; i < count; i++)                                                                            \
            rare |= !pwt_fmod_is_near_f32(x[i], y[i]);                                                                 \
        if (!rare)                                                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                float rest = pwt_fmod_near_f32(x[i], y[i]);                                                            \
                out[i] = near_result;                                                                                  \
            }                                                                                                          \
        else                                                                                                           \
            PWT_SCALAR_LOOP                                                                                            \
            for (int64_t i = 0; i < count; i++)                                                                        \
                out[i] = pwt_##name##_f32(x[i], y[i]);                                                                 \
    }

PWT_DEFINE_REST_BLOCK(fmod, rest)
PWT_DEFINE_REST_BLOCK(remainder, pwt_remainder_of_rest_f32(y[i], rest))
PWT_DEFINE_REST_BLOCK(floor_divide, pwt_floor_divide_of_rest_f32(x[i], y[i], rest))

#undef PWT_DEFINE_REST_BLOCK

#endif
