/* gpu.c - GPU profiles: reads them, finds them by name, and computes occupancy from them.
 * A profile that was handed out is complete: every key was given and every figure is plausible.
 * What a figure does to a kernel's time is model.c's business. */
#include "core/gpu.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"
#include "core/gpu_text.h"

enum key_type { KEY_TEXT, KEY_VERSION, KEY_U32, KEY_U64, KEY_REAL };

/* One row per key of a .gpu file. */
static const struct key {
    const char *name;
    enum key_type type;
    size_t offset;
    double least, most;
} keys[] = {
    {"name", KEY_TEXT, offsetof(struct gpu, name), 0, 0},
    {"compute_capability", KEY_VERSION, offsetof(struct gpu, cc_major), 0, 0},
    {"sms", KEY_U32, offsetof(struct gpu, sms), 1, 4096},
    {"clock_mhz", KEY_U32, offsetof(struct gpu, clock_mhz), 1, 100000},
    {"schedulers_per_sm", KEY_U32, offsetof(struct gpu, schedulers_per_sm), 1, 64},
    {"max_threads", KEY_U32, offsetof(struct gpu, max_threads), 32, 65536},
    {"max_warps", KEY_U32, offsetof(struct gpu, max_warps), 1, 2048},
    {"max_blocks", KEY_U32, offsetof(struct gpu, max_blocks), 1, 2048},
    {"registers", KEY_U32, offsetof(struct gpu, registers), 1024, 1 << 24},
    {"register_granule", KEY_U32, offsetof(struct gpu, register_granule), 1, 65536},
    {"shared_bytes", KEY_U32, offsetof(struct gpu, shared_bytes), 1024, 1 << 24},
    {"shared_per_block", KEY_U32, offsetof(struct gpu, shared_per_block), 1024, 1 << 24},
    {"shared_per_block_optin", KEY_U32, offsetof(struct gpu, shared_per_block_optin), 1024, 1 << 24},
    {"shared_granule", KEY_U32, offsetof(struct gpu, shared_granule), 1, 65536},
    {"shared_reserved", KEY_U32, offsetof(struct gpu, shared_reserved), 0, 65536},
    {"memory_bytes", KEY_U64, offsetof(struct gpu, memory_bytes), 1 << 20, 1e15},
    {"l2_bytes", KEY_U64, offsetof(struct gpu, l2_bytes), 1024, 1e12},
    {"l1_bytes", KEY_U32, offsetof(struct gpu, l1_bytes), 1024, 1 << 28},
    {"l1_global", KEY_U32, offsetof(struct gpu, l1_global), 0, 1},
    {"l1_local", KEY_U32, offsetof(struct gpu, l1_local), 0, 1},
    {"l1_apart", KEY_U32, offsetof(struct gpu, l1_apart), 0, 1},
    {"l1_queue", KEY_U32, offsetof(struct gpu, l1_queue), 0, L1_QUEUE_MAX},
    {"shared_packs", KEY_U32, offsetof(struct gpu, shared_packs), 0, 1},
    {"dram_gbs", KEY_REAL, offsetof(struct gpu, dram_gbs), 1e-3, 1e7},
    {"dram_scattered_gbs", KEY_REAL, offsetof(struct gpu, dram_scattered_gbs), 1e-3, 1e7},
    {"l2_gbs", KEY_REAL, offsetof(struct gpu, l2_gbs), 1e-3, 1e7},
    {"l2_write_gbs", KEY_REAL, offsetof(struct gpu, l2_write_gbs), 1e-3, 1e7},
    {"l2_lone_sectors", KEY_REAL, offsetof(struct gpu, l2_lone_sectors), 1, 4},
    {"l2_lone_writes", KEY_REAL, offsetof(struct gpu, l2_lone_writes), 1, 4},
    {"memory_clock_mhz", KEY_REAL, offsetof(struct gpu, memory_clock_mhz), 1, 1e6},
    {"memory_bus_bits", KEY_U32, offsetof(struct gpu, memory_bus_bits), 8, 1 << 20},
    {"pinned_gbs", KEY_REAL, offsetof(struct gpu, pinned_gbs), 1e-3, 1e6},
    {"pageable_gbs", KEY_REAL, offsetof(struct gpu, pageable_gbs), 1e-3, 1e6},
    {"copy_overhead_us", KEY_REAL, offsetof(struct gpu, copy_overhead_us), 0, 1e6},
    {"launch_overhead_us", KEY_REAL, offsetof(struct gpu, launch_overhead_us), 0, 1e6},
    {"fp32_lanes", KEY_U32, offsetof(struct gpu, fp32_lanes), 1, 65536},
    {"int_lanes", KEY_U32, offsetof(struct gpu, int_lanes), 1, 65536},
    {"fp64_lanes", KEY_U32, offsetof(struct gpu, fp64_lanes), 1, 65536},
    {"fp16_lanes", KEY_U32, offsetof(struct gpu, fp16_lanes), 1, 65536},
    {"sfu_lanes", KEY_U32, offsetof(struct gpu, sfu_lanes), 1, 65536},
    {"imul_lanes", KEY_U32, offsetof(struct gpu, imul_lanes), 1, 65536},
    {"wide_lanes", KEY_U32, offsetof(struct gpu, wide_lanes), 1, 65536},
    {"shuffle_lanes", KEY_U32, offsetof(struct gpu, shuffle_lanes), 1, 65536},
    {"cvt64_lanes", KEY_U32, offsetof(struct gpu, cvt64_lanes), 1, 65536},
    {"alu_latency", KEY_U32, offsetof(struct gpu, alu_latency), 1, 65536},
    {"imul_latency", KEY_U32, offsetof(struct gpu, imul_latency), 1, 65536},
    {"fp64_latency", KEY_U32, offsetof(struct gpu, fp64_latency), 1, 65536},
    {"sfu_latency", KEY_U32, offsetof(struct gpu, sfu_latency), 1, 65536},
    {"shuffle_latency", KEY_U32, offsetof(struct gpu, shuffle_latency), 1, 65536},
    {"shared_latency", KEY_U32, offsetof(struct gpu, shared_latency), 1, 65536},
    {"l1_latency", KEY_U32, offsetof(struct gpu, l1_latency), 1, 65536},
    {"l2_latency", KEY_U32, offsetof(struct gpu, l2_latency), 1, 65536},
    {"dram_latency", KEY_U32, offsetof(struct gpu, dram_latency), 1, 65536},
    {"barrier_latency", KEY_U32, offsetof(struct gpu, barrier_latency), 1, 65536},
    {"l1_bytes_per_clock", KEY_U32, offsetof(struct gpu, l1_bytes_per_clock), 1, 65536},
    {"l2_bytes_per_clock_sm", KEY_U32, offsetof(struct gpu, l2_bytes_per_clock_sm), 1, 65536},
    {"block_launch_cycles", KEY_REAL, offsetof(struct gpu, block_launch_cycles), 1e-3, 1e6},
    {"block_start_cycles", KEY_REAL, offsetof(struct gpu, block_start_cycles), 1e-3, 1e6},
    {"atomic_cycles", KEY_REAL, offsetof(struct gpu, atomic_cycles), 1e-3, 1e6},
    {"copy_engines", KEY_U32, offsetof(struct gpu, copy_engines), 1, 64},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

__attribute__((format(printf, 3, 4))) static bool fail(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

/* ------------------------------------------------------------------------------------------- reading */

static bool set_version(struct gpu *gpu, const char *value)
{
    unsigned major, minor;
    if (sscanf(value, "%2u.%2u", &major, &minor) != 2)
        return false;
    gpu->cc_major = major;
    gpu->cc_minor = minor;
    return true;
}

static bool set_number(struct gpu *gpu, const struct key *key, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !(number >= key->least && number <= key->most))
        return false;
    char *field = (char *)gpu + key->offset;
    if (key->type == KEY_U32)
        *(uint32_t *)(void *)field = (uint32_t)number;
    else if (key->type == KEY_U64)
        *(uint64_t *)(void *)field = (uint64_t)number;
    else
        *(double *)(void *)field = number;
    return true;
}

static bool set_key(struct gpu *gpu, const struct key *key, const char *value)
{
    if (key->type == KEY_VERSION)
        return set_version(gpu, value);
    if (key->type != KEY_TEXT)
        return set_number(gpu, key, value);
    snprintf(gpu->name, sizeof gpu->name, "%s", value);
    return *value != 0;
}

static int find_key(const char *name)
{
    for (int i = 0; i < KEYS; i++)
        if (!strcmp(keys[i].name, name))
            return i;
    return -1;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text;
}

static bool parse_line(struct gpu *gpu, char *line, bool *seen, const char *place, char *message, size_t size)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    char *name = trim(line);
    if (!*name)
        return true;
    char *equals = strchr(name, '=');
    if (!equals)
        return fail(message, size, "%s: expected `key = value`, found `%s`", place, name);
    *equals = 0;
    char *value = trim(equals + 1);
    name = trim(name);
    int index = find_key(name);
    if (index < 0)
        return fail(message, size, "%s: unknown key `%s`", place, name);
    if (!set_key(gpu, &keys[index], value))
        return fail(message, size, "%s: `%s` is no good value for `%s`", place, value, name);
    seen[index] = true;
    return true;
}

static bool is_complete(const bool *seen, const char *origin, char *message, size_t size)
{
    for (int i = 0; i < KEYS; i++)
        if (!seen[i])
            return fail(message, size, "%s: the key `%s` is missing", origin, keys[i].name);
    return true;
}

bool gpu_parse(struct gpu *out, const char *text, const char *origin, char *message, size_t size)
{
    bool seen[KEYS] = {false};
    char line[512], place[300];
    memset(out, 0, sizeof *out);
    for (int number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        snprintf(place, sizeof place, "%.250s:%d", origin, number);
        if (length >= sizeof line)
            return fail(message, size, "%s: the line is too long", place);
        memcpy(line, text, length);
        line[length] = 0;
        if (!parse_line(out, line, seen, place, message, size))
            return false;
        text += length + (text[length] == '\n');
    }
    return is_complete(seen, origin, message, size);
}

/* ------------------------------------------------------------------------------------------- finding */

enum { MAX_PROFILES = 64 };
static struct gpu profiles[MAX_PROFILES];
static size_t nprofiles;
static pthread_once_t profiles_once = PTHREAD_ONCE_INIT;

static void read_profiles(void)
{
    char message[400];
    for (const struct gpu_text *text = gpu_texts; text->id && nprofiles < MAX_PROFILES; text++) {
        struct gpu *gpu = &profiles[nprofiles];
        if (!gpu_parse(gpu, text->text, text->id, message, sizeof message)) {
            fprintf(stderr, "vgpu: error: built-in profile %s\n", message);
            continue;
        }
        snprintf(gpu->id, sizeof gpu->id, "%s", text->id);
        nprofiles++;
    }
}

const struct gpu *gpu_at(size_t index)
{
    pthread_once(&profiles_once, read_profiles);
    return index < nprofiles ? &profiles[index] : NULL;
}

static const struct gpu *find_builtin(const char *name)
{
    for (size_t i = 0; gpu_at(i); i++)
        if (!strcasecmp(gpu_at(i)->id, name))
            return gpu_at(i);
    return NULL;
}

const struct gpu *gpu_default(void)
{
    const struct gpu *gpu = find_builtin("h200");
    return gpu ? gpu : gpu_at(0);
}

static void set_id(struct gpu *gpu, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(gpu->id, sizeof gpu->id, "%.31s", slash ? slash + 1 : path);
    char *dot = strstr(gpu->id, ".gpu");
    if (dot)
        *dot = 0;
}

static const struct gpu *find_file(const char *path, char *message, size_t size)
{
    enum { LIMIT = 65536 };
    size_t bytes;
    char *text = file_read(path, LIMIT, true, &bytes);
    struct gpu *gpu = text ? malloc(sizeof *gpu) : NULL;
    if (!text)
        fail(message, size, "cannot read %s: %s", path, strerror(errno));
    if (gpu && !gpu_parse(gpu, text, path, message, size)) {
        free(gpu);
        gpu = NULL;
    }
    if (gpu)
        set_id(gpu, path);
    free(text);
    return gpu;
}

static void list_names(char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; gpu_at(i) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", gpu_at(i)->id);
}

const struct gpu *gpu_find(const char *name, char *message, size_t size)
{
    const struct gpu *gpu = find_builtin(name);
    if (gpu)
        return gpu;
    if (strchr(name, '/') || strstr(name, ".gpu"))
        return find_file(name, message, size);
    char names[300];
    list_names(names, sizeof names);
    fail(message, size, "there is no GPU profile `%.64s`; choose one of %s, or give the path of a .gpu file",
         name, names);
    return NULL;
}

/* ------------------------------------------------------------------------------------------- occupancy */

static uint32_t registers_per_warp(const struct gpu *gpu, uint32_t registers)
{
    return (uint32_t)round_up(registers * 32, gpu->register_granule);
}

/* Warps are dealt to sub-partitions, each with its share of the registers. */
static uint32_t blocks_by_registers(const struct gpu *gpu, uint32_t registers, uint32_t warps)
{
    if (!registers)
        return UINT32_MAX;
    uint32_t per_warp = registers_per_warp(gpu, registers);
    uint32_t per_part = gpu->registers / gpu->schedulers_per_sm / per_warp;
    if (round_up(warps, gpu->schedulers_per_sm) * per_warp > gpu->registers)
        return 0;
    return per_part * gpu->schedulers_per_sm / warps;
}

static uint32_t shared_per_block(const struct gpu *gpu, uint32_t shared_bytes)
{
    return (uint32_t)round_up(shared_bytes + gpu->shared_reserved, gpu->shared_granule);
}

/* From the A100's 40 MB on, L2 is two halves, and what SMs of both sides use lies in both. On an H200 with its 60 MB, 42 MB
 * were not kept from launch to launch, and 33 MB were. */
uint64_t gpu_l2_kept(const struct gpu *gpu)
{
    enum { HALVED = 40 << 20 };
    return gpu->l2_bytes >= HALVED ? gpu->l2_bytes / 20 * 13 : gpu->l2_bytes;
}

void gpu_occupancy(const struct gpu *gpu, uint32_t registers, uint32_t shared_bytes, uint32_t threads,
                   struct occupancy *out)
{
    const uint32_t warps = threads ? (threads + 31) / 32 : 1;
    const uint32_t shared = shared_per_block(gpu, shared_bytes);
    /* Of equal limits the first is named: threads cannot be helped, the others can. */
    const struct occupancy_limit limits[OCCUPANCY_LIMITS] = {
        {"threads", "warps", warps, gpu->max_warps, gpu->max_warps / warps},
        {"registers", "registers", warps * registers_per_warp(gpu, registers), gpu->registers,
         blocks_by_registers(gpu, registers, warps)},
        {"shared memory", "bytes", shared, gpu->shared_bytes,
         shared ? gpu->shared_bytes / shared : UINT32_MAX},
        {"blocks", "blocks", 1, gpu->max_blocks, gpu->max_blocks},
    };
    size_t least = 0;
    for (size_t i = 0; i < OCCUPANCY_LIMITS; i++) {
        out->limits[i] = limits[i];
        if (limits[i].blocks < limits[least].blocks)
            least = i;
    }
    out->blocks_per_sm = limits[least].blocks;
    out->warps_per_sm = out->blocks_per_sm * warps;
    out->fraction = (double)out->warps_per_sm / gpu->max_warps;
    out->limiter = limits[least].name;
}
