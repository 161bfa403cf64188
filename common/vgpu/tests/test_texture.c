/* test_texture.c - sampling against the texture appendix of the CUDA programming guide, and the table of handles.
 * Expected values are worked out by hand or by the guide's formulas written anew in the test. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "alu/half.h"
#include "exec/texture.h"

static struct texel_log texel_log;
static struct texture texture;
static struct texture_view view;

static void use_image(const void *texels, struct texel_format format, uint32_t width, uint32_t height,
                      uint32_t depth)
{
    memset(&texture, 0, sizeof texture);
    memset(&texel_log, 0, sizeof texel_log);
    struct texture_image *image = &texture.levels[0];
    *image = (struct texture_image){
        .address = 0x10000, .width = width, .height = height, .depth = depth, .layers = 1, .format = format};
    image->pitch = (uint64_t)width * texel_bytes(format);
    image->slice = image->pitch * height;
    image->bytes = image->slice * depth;
    texture.resource = TEXTURE_ARRAY;
    texture.nlevels = 1;
    texture.address[0] = texture.address[1] = texture.address[2] = ADDRESS_CLAMP;
    view = (struct texture_view){.texture = &texture, .log = &texel_log};
    view.levels[0] = (struct image_view){texels, image->bytes};
}

static const struct texel_format f32_1 = {1, 32, TEXEL_FLOAT}, u8_1 = {1, 8, TEXEL_UNSIGNED},
                                 s8_1 = {1, 8, TEXEL_SIGNED}, u8_4 = {4, 8, TEXEL_UNSIGNED},
                                 s16_2 = {2, 16, TEXEL_SIGNED}, f16_1 = {1, 16, TEXEL_FLOAT};

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float sample1(float x)
{
    const struct texture_query query = {.shape = SHAPE_1D, .coord = {x}, .gather = -1};
    uint32_t out[4];
    texture_sample(&view, &query, out);
    return as_float(out[0]);
}

static float sample2(float x, float y)
{
    const struct texture_query query = {.shape = SHAPE_2D, .coord = {x, y}, .gather = -1};
    uint32_t out[4];
    texture_sample(&view, &query, out);
    return as_float(out[0]);
}

static const float ramp[4] = {10.0f, 20.0f, 30.0f, 40.0f};

START_TEST(point_sampling_takes_the_texel_that_holds_the_coordinate)
{
    use_image(ramp, f32_1, 4, 1, 1);
    ck_assert_float_eq(sample1(0.0f), 10.0f);
    ck_assert_float_eq(sample1(0.99f), 10.0f);
    ck_assert_float_eq(sample1(1.0f), 20.0f);
    ck_assert_float_eq(sample1(3.5f), 40.0f);
}
END_TEST

START_TEST(clamp_repeats_the_edges)
{
    use_image(ramp, f32_1, 4, 1, 1);
    ck_assert_float_eq(sample1(-7.0f), 10.0f);
    ck_assert_float_eq(sample1(4.0f), 40.0f);
    ck_assert_float_eq(sample1(INFINITY), 40.0f);
    ck_assert_float_eq(sample1(-INFINITY), 10.0f);
    ck_assert_float_eq(sample1(NAN), 10.0f);
}
END_TEST

START_TEST(border_gives_the_border_colour)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.address[0] = ADDRESS_BORDER;
    texture.border[0] = -1.0f;
    ck_assert_float_eq(sample1(-0.01f), -1.0f);
    ck_assert_float_eq(sample1(0.0f), 10.0f);
    ck_assert_float_eq(sample1(4.0f), -1.0f);
}
END_TEST

START_TEST(wrap_repeats_the_texture)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.has_normalized_coords = true;
    texture.address[0] = ADDRESS_WRAP;
    for (int i = -8; i < 12; i++)
        ck_assert_float_eq(sample1(((float)i + 0.5f) / 4.0f), ramp[(i + 8) % 4]);
}
END_TEST

START_TEST(mirror_turns_every_other_copy)
{
    static const float want[8] = {10, 20, 30, 40, 40, 30, 20, 10};
    use_image(ramp, f32_1, 4, 1, 1);
    texture.has_normalized_coords = true;
    texture.address[0] = ADDRESS_MIRROR;
    for (int i = -8; i < 16; i++)
        ck_assert_float_eq(sample1(((float)i + 0.5f) / 4.0f), want[(i + 8) % 8]);
}
END_TEST

START_TEST(repeating_modes_clamp_without_normalised_coordinates)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.address[0] = ADDRESS_WRAP;
    ck_assert_float_eq(sample1(5.5f), 40.0f);
    texture.address[0] = ADDRESS_MIRROR;
    ck_assert_float_eq(sample1(-1.5f), 10.0f);
}
END_TEST

START_TEST(linear_filtering_hits_texels_at_their_centres)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.is_linear_filter = true;
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(sample1((float)i + 0.5f), ramp[i]);
    ck_assert_float_eq(sample1(1.0f), 15.0f);
    ck_assert_float_eq(sample1(0.25f), 10.0f);
    ck_assert_float_eq(sample1(3.9f), 40.0f);
}
END_TEST

START_TEST(linear_weights_have_eight_fractional_bits)
{
    static const float step[2] = {0.0f, 256.0f};
    use_image(step, f32_1, 2, 1, 1);
    texture.is_linear_filter = true;
    for (int i = 0; i <= 256; i++)
        ck_assert_float_eq(sample1(0.5f + (float)i / 256.0f), (float)i);
    ck_assert_float_eq(sample1(0.5f + 10.4f / 256.0f), 10.0f);
    ck_assert_float_eq(sample1(0.5f + 10.6f / 256.0f), 11.0f);
    ck_assert_float_eq(sample1(0.5f + 255.9f / 256.0f), 256.0f);
}
END_TEST

START_TEST(linear_filtering_wraps_across_the_seam)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.is_linear_filter = texture.has_normalized_coords = true;
    texture.address[0] = ADDRESS_WRAP;
    ck_assert_float_eq(sample1(0.0f), 25.0f);
    ck_assert_float_eq(sample1(1.0f), 25.0f);
    texture.address[0] = ADDRESS_MIRROR;
    ck_assert_float_eq(sample1(0.0f), 10.0f);
    texture.address[0] = ADDRESS_BORDER;
    ck_assert_float_eq(sample1(0.0f), 5.0f);
}
END_TEST

/* The guide's formula, but the hardware keeps 8 bits of the product of the weights as well. */
START_TEST(bilinear_weights_have_eight_fractional_bits)
{
    static const float texels[6] = {1, 2, 4, 8, 16, 32};
    use_image(texels, f32_1, 3, 2, 1);
    texture.is_linear_filter = true;
    for (int a = 0; a < 256; a += 17)
        for (int b = 0; b < 256; b += 15) {
            const int both = (a * b + 128) / 256;
            const int want = (256 - a - b + both) * 1 + (a - both) * 2 + (b - both) * 8 + both * 16;
            ck_assert_float_eq(sample2(0.5f + (float)a / 256, 0.5f + (float)b / 256), (float)want / 256);
        }
}
END_TEST

START_TEST(trilinear_filtering_averages_eight_texels)
{
    static const float texels[8] = {0, 8, 16, 24, 32, 40, 48, 56};
    use_image(texels, f32_1, 2, 2, 2);
    texture.is_linear_filter = true;
    const struct texture_query query = {.shape = SHAPE_3D, .coord = {1.0f, 1.0f, 1.0f}, .gather = -1};
    uint32_t out[4];
    texture_sample(&view, &query, out);
    ck_assert_float_eq(as_float(out[0]), 28.0f);
}
END_TEST

START_TEST(integers_read_as_fractions_reach_one)
{
    static const uint8_t bytes[4] = {0, 51, 128, 255};
    use_image(bytes, u8_1, 4, 1, 1);
    texture.reads_normalized = true;
    ck_assert_float_eq(sample1(0.5f), 0.0f);
    ck_assert_float_eq(sample1(1.5f), 51.0f / 255.0f);
    ck_assert_float_eq(sample1(3.5f), 1.0f);
    static const int8_t signs[3] = {127, -127, -128};
    use_image(signs, s8_1, 3, 1, 1);
    texture.reads_normalized = true;
    ck_assert_float_eq(sample1(0.5f), 1.0f);
    ck_assert_float_eq(sample1(1.5f), -1.0f);
    ck_assert_float_eq(sample1(2.5f), -1.0f);
}
END_TEST

START_TEST(filtered_integers_have_sixteen_bits)
{
    static const uint8_t bytes[2] = {187, 174};
    use_image(bytes, u8_1, 2, 1, 1);
    texture.reads_normalized = texture.is_linear_filter = true;
    ck_assert_float_eq(sample1(0.5f), 187.0f / 255.0f);
    ck_assert_float_eq(sample1(0.5f + 236.0f / 256.0f), 44979.0f / 65535.0f);
    static const int8_t signs[2] = {-80, -69};
    use_image(signs, s8_1, 2, 1, 1);
    texture.reads_normalized = texture.is_linear_filter = true;
    ck_assert_float_eq(sample1(0.5f), -20641.0f / 32767.0f);
    ck_assert_float_eq(sample1(0.5f + 110.0f / 256.0f), -19421.0f / 32767.0f);
}
END_TEST

START_TEST(filtered_halves_have_eleven_bits)
{
    const uint16_t halves[2] = {12402, 13643};
    use_image(halves, f16_1, 2, 1, 1);
    texture.is_linear_filter = true;
    ck_assert_float_eq(sample1(0.5f + 236.0f / 256.0f), 0.31591796875f);
}
END_TEST

START_TEST(a_filtered_line_meets_the_border_of_the_second_dimension)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.is_linear_filter = true;
    texture.address[0] = texture.address[1] = ADDRESS_BORDER;
    texture.border[0] = 100.0f;
    ck_assert_float_eq(sample1(1.5f), 60.0f);
    texture.address[1] = ADDRESS_CLAMP;
    ck_assert_float_eq(sample1(1.5f), 20.0f);
}
END_TEST

START_TEST(integer_coordinates_read_zeros_outside)
{
    use_image(ramp, f32_1, 2, 2, 1);
    for (int x = -1; x < 3; x++) {
        const struct texture_query query = {
            .shape = SHAPE_2D, .is_integer = true, .index = {x, 1}, .gather = -1};
        uint32_t out[4];
        texture_sample(&view, &query, out);
        ck_assert_float_eq(as_float(out[0]), x == 0 ? 30.0f : x == 1 ? 40.0f : 0.0f);
    }
}
END_TEST

START_TEST(channels_that_a_texel_lacks_are_zero)
{
    static const uint8_t bytes[2] = {1, 2};
    const struct texture_query query = {.shape = SHAPE_1D, .coord = {0.5f}, .gather = -1};
    uint32_t out[4];
    use_image(bytes, u8_1, 2, 1, 1);
    texture_sample(&view, &query, out);
    ck_assert_uint_eq(out[0], 1);
    ck_assert_uint_eq(out[1] | out[2] | out[3], 0);
    use_image(ramp, f32_1, 4, 1, 1);
    texture_sample(&view, &query, out);
    ck_assert_uint_eq(out[1] | out[2] | out[3], 0);
}
END_TEST

START_TEST(elements_keep_their_sign_and_their_channels)
{
    static const int16_t shorts[4] = {-1, 2, -32768, 32767};
    use_image(shorts, s16_2, 2, 1, 1);
    const struct texture_query query = {.shape = SHAPE_1D, .is_integer = true, .index = {1}, .gather = -1};
    uint32_t out[4];
    texture_sample(&view, &query, out);
    ck_assert_int_eq((int32_t)out[0], -32768);
    ck_assert_int_eq((int32_t)out[1], 32767);
    static const uint8_t pixels[8] = {1, 2, 3, 4, 250, 251, 252, 253};
    use_image(pixels, u8_4, 2, 1, 1);
    texture_sample(&view, &query, out);
    ck_assert_uint_eq(out[0], 250);
    ck_assert_uint_eq(out[3], 253);
}
END_TEST

START_TEST(half_precision_texels_become_floats)
{
    const uint16_t halves[2] = {half_from_float(0.5f), half_from_float(-65504.0f)};
    use_image(halves, f16_1, 2, 1, 1);
    ck_assert_float_eq(sample1(0.0f), 0.5f);
    ck_assert_float_eq(sample1(1.0f), -65504.0f);
}
END_TEST

START_TEST(linear_memory_is_zero_outside)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.resource = TEXTURE_LINEAR;
    struct texture_query query = {.shape = SHAPE_1D, .is_integer = true, .gather = -1};
    uint32_t out[4];
    for (int i = -2; i < 6; i++) {
        query.index[0] = i;
        texture_sample(&view, &query, out);
        ck_assert_float_eq(as_float(out[0]), i >= 0 && i < 4 ? ramp[i] : 0.0f);
    }
    ck_assert(!texel_log.is_bad);
}
END_TEST

START_TEST(memory_that_is_too_short_is_noticed)
{
    use_image(ramp, f32_1, 4, 1, 1);
    view.levels[0].limit = 12;
    ck_assert_float_eq(sample1(3.0f), 0.0f);
    ck_assert(texel_log.is_bad);
    ck_assert_uint_eq(texel_log.bad, 0x10000 + 12);
}
END_TEST

START_TEST(gather_collects_one_channel_of_four_texels)
{
    static const float texels[4] = {1, 2, 3, 4};
    use_image(texels, f32_1, 2, 2, 1);
    const struct texture_query query = {.shape = SHAPE_2D, .coord = {1.0f, 1.0f}, .gather = 0};
    uint32_t out[4];
    texture_sample(&view, &query, out);
    ck_assert_float_eq(as_float(out[0]), 3.0f);
    ck_assert_float_eq(as_float(out[1]), 4.0f);
    ck_assert_float_eq(as_float(out[2]), 2.0f);
    ck_assert_float_eq(as_float(out[3]), 1.0f);
}
END_TEST

START_TEST(layers_are_not_filtered_and_clamp)
{
    static const float texels[6] = {1, 2, 3, 4, 5, 6};
    use_image(texels, f32_1, 2, 1, 1);
    texture.levels[0].layers = 3;
    texture.levels[0].bytes = view.levels[0].limit = sizeof texels;
    struct texture_query query = {.shape = SHAPE_A1D, .coord = {1.5f}, .gather = -1};
    uint32_t out[4];
    for (int layer = -1; layer < 5; layer++) {
        query.layer = layer;
        texture_sample(&view, &query, out);
        ck_assert_float_eq(as_float(out[0]), texels[2 * (layer < 0 ? 0 : layer > 2 ? 2 : layer) + 1]);
    }
}
END_TEST

START_TEST(levels_are_chosen_and_blended)
{
    static const float base[2] = {1.0f, 1.0f}, top[1] = {3.0f};
    use_image(base, f32_1, 2, 1, 1);
    texture.levels[1] = texture.levels[0];
    texture.levels[1].width = 1;
    texture.nlevels = 2;
    texture.level_max = 10.0f;
    view.levels[1] = (struct image_view){(const uint8_t *)top, sizeof top};
    struct texture_query query = {.shape = SHAPE_1D, .has_level = true, .gather = -1};
    uint32_t out[4];
    query.level = 0.75f;
    texture_sample(&view, &query, out);
    ck_assert_float_eq(as_float(out[0]), 3.0f);
    texture.is_linear_mip = true;
    texture_sample(&view, &query, out);
    ck_assert_float_eq(as_float(out[0]), 2.5f);
    query.level = 9.0f;
    texture_sample(&view, &query, out);
    ck_assert_float_eq(as_float(out[0]), 3.0f);
}
END_TEST

START_TEST(gradients_give_the_level_by_their_length)
{
    use_image(ramp, f32_1, 4, 1, 1);
    texture.has_normalized_coords = true;
    const float ddx[1] = {1.0f}, ddy[1] = {0.0f};
    ck_assert_float_eq(texture_gradient_level(&texture, 1, ddx, ddy), 2.0f);
}
END_TEST

START_TEST(cube_faces_are_picked_by_the_longest_axis)
{
    static const struct {
        float direction[3];
        int face;
        float s, t;
    } rows[] = {{{1, 0, 0}, 0, 0.5f, 0.5f},    {{-1, 0, 0}, 1, 0.5f, 0.5f},   {{0, 1, 0}, 2, 0.5f, 0.5f},
                {{0, -1, 0}, 3, 0.5f, 0.5f},   {{0, 0, 1}, 4, 0.5f, 0.5f},    {{0, 0, -1}, 5, 0.5f, 0.5f},
                {{2, 1, 1}, 0, 0.25f, 0.25f},  {{-2, 1, 1}, 1, 0.75f, 0.25f}, {{1, 2, 1}, 2, 0.75f, 0.75f},
                {{1, -2, 1}, 3, 0.75f, 0.25f}, {{1, 1, 2}, 4, 0.75f, 0.25f},  {{1, 1, -2}, 5, 0.25f, 0.25f}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float at[2];
        ck_assert_int_eq(texture_cube_face(rows[i].direction, at), rows[i].face);
        ck_assert_float_eq(at[0], rows[i].s);
        ck_assert_float_eq(at[1], rows[i].t);
    }
}
END_TEST

START_TEST(sectors_of_arrays_are_blocks_of_two_rows)
{
    use_image(ramp, f32_1, 64, 16, 1);
    texture.levels[0].pitch = 256;
    texture.levels[0].is_blocked = true;
    const struct texture_image *image = &texture.levels[0];
    ck_assert_uint_eq(image_sector(image, 0, 0, 0), image_sector(image, 15, 1, 0));
    ck_assert_uint_ne(image_sector(image, 0, 0, 0), image_sector(image, 16, 0, 0));
    ck_assert_uint_ne(image_sector(image, 0, 0, 0), image_sector(image, 0, 2, 0));
    /* every sector of the image has exactly 32 bytes */
    uint32_t counts[512] = {0};
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 256; x++)
            counts[image_sector(image, x, y, 0) - 0x10000 / 32]++;
    for (int i = 0; i < 128; i++)
        ck_assert_uint_eq(counts[i], 32);
}
END_TEST

START_TEST(stale_handles_are_known)
{
    int first, second;
    const uint64_t handle = texture_table_add(OBJECT_TEXTURE, &first);
    ck_assert_uint_ne(handle, 0);
    ck_assert_ptr_eq(texture_table_find(OBJECT_TEXTURE, handle), &first);
    ck_assert_ptr_null(texture_table_find(OBJECT_SURFACE, handle));
    ck_assert_ptr_eq(texture_table_remove(OBJECT_TEXTURE, handle), &first);
    ck_assert_ptr_null(texture_table_remove(OBJECT_TEXTURE, handle));
    const uint64_t other = texture_table_add(OBJECT_SURFACE, &second);
    ck_assert_uint_ne(other, handle);
    ck_assert_ptr_null(texture_table_find(OBJECT_TEXTURE, handle));
    ck_assert_ptr_null(texture_table_find(OBJECT_TEXTURE, 0));
    ck_assert_ptr_null(texture_table_find(OBJECT_TEXTURE, UINT64_MAX));
    texture_table_remove(OBJECT_SURFACE, other);
}
END_TEST

START_TEST(handles_last_beyond_many_creations)
{
    int object;
    for (int i = 0; i < 3000; i++) {
        const uint64_t handle = texture_table_add(OBJECT_TEXTURE, &object);
        ck_assert_uint_ne(handle, 0);
        if (i % 3)
            ck_assert_ptr_eq(texture_table_remove(OBJECT_TEXTURE, handle), &object);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("texture");
    TCase *sampling = tcase_create("sampling");
    tcase_add_test(sampling, point_sampling_takes_the_texel_that_holds_the_coordinate);
    tcase_add_test(sampling, clamp_repeats_the_edges);
    tcase_add_test(sampling, border_gives_the_border_colour);
    tcase_add_test(sampling, wrap_repeats_the_texture);
    tcase_add_test(sampling, mirror_turns_every_other_copy);
    tcase_add_test(sampling, repeating_modes_clamp_without_normalised_coordinates);
    tcase_add_test(sampling, linear_filtering_hits_texels_at_their_centres);
    tcase_add_test(sampling, linear_weights_have_eight_fractional_bits);
    tcase_add_test(sampling, linear_filtering_wraps_across_the_seam);
    tcase_add_test(sampling, bilinear_weights_have_eight_fractional_bits);
    tcase_add_test(sampling, filtered_integers_have_sixteen_bits);
    tcase_add_test(sampling, filtered_halves_have_eleven_bits);
    tcase_add_test(sampling, a_filtered_line_meets_the_border_of_the_second_dimension);
    tcase_add_test(sampling, integer_coordinates_read_zeros_outside);
    tcase_add_test(sampling, channels_that_a_texel_lacks_are_zero);
    tcase_add_test(sampling, trilinear_filtering_averages_eight_texels);
    tcase_add_test(sampling, integers_read_as_fractions_reach_one);
    tcase_add_test(sampling, elements_keep_their_sign_and_their_channels);
    tcase_add_test(sampling, half_precision_texels_become_floats);
    tcase_add_test(sampling, linear_memory_is_zero_outside);
    tcase_add_test(sampling, memory_that_is_too_short_is_noticed);
    tcase_add_test(sampling, gather_collects_one_channel_of_four_texels);
    tcase_add_test(sampling, layers_are_not_filtered_and_clamp);
    tcase_add_test(sampling, levels_are_chosen_and_blended);
    tcase_add_test(sampling, gradients_give_the_level_by_their_length);
    tcase_add_test(sampling, cube_faces_are_picked_by_the_longest_axis);
    tcase_add_test(sampling, sectors_of_arrays_are_blocks_of_two_rows);
    tcase_add_test(sampling, stale_handles_are_known);
    tcase_add_test(sampling, handles_last_beyond_many_creations);
    suite_add_tcase(suite, sampling);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
