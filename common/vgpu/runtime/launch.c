/* launch.c - kernel launches: checked (launch_check.c), then executed at once, or recorded by a capture.
 * A fault inside the kernel surfaces at the next synchronising call. Every executed launch gives counters, a time on the
 * virtual clock and, if asked, a JSON line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "core/children.h"
#include "core/counters.h"
#include "decode/loops.h"
#include "memory/late.h"
#include "model/model.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/beside.h"
#include "runtime/capture.h"
#include "runtime/captures.h"
#include "runtime/clock.h"
#include "runtime/counters_file.h"
#include "runtime/device.h"
#include "runtime/follow.h"
#include "runtime/hints.h"
#include "runtime/host_calls.h"
#include "runtime/host_clock.h"
#include "runtime/print.h"
#include "runtime/progress.h"
#include "runtime/watch.h"

/* ------------------------------------------------------------------------------------------- <<<...>>> */

struct pushed {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
enum { MAX_PUSHED = 16 };
static _Thread_local struct pushed pushed[MAX_PUSHED];
static _Thread_local unsigned npushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (npushed == MAX_PUSHED)
        return cudaErrorLaunchOutOfResources;
    pushed[npushed++] = (struct pushed){grid, block, shared, stream};
    return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (npushed == 0)
        return runtime_error(cudaErrorMissingConfiguration);
    const struct pushed *top = &pushed[--npushed];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- execution */

static uint8_t *copy_params(const struct function *function, void **args)
{
    uint8_t *params = calloc(1, function->param_bytes + 16);
    for (uint32_t i = 0; params && i < function->nparams; i++)
        memcpy(params + function->params[i].offset, args[i], function->params[i].size);
    return params;
}

static const struct checker *choose_checker(struct kernel *kernel, enum check_level check, bool notes_use)
{
    if (notes_use)
        return &check_used;
    return hints_are_wanted(kernel, check) ? &check_glance : &check_levels[check];
}

static void fill(struct launch *launch, const struct launch_request *request,
                 const struct occupancy *occupancy)
{
    static uint64_t count;
    const struct config *config = runtime_config();
    const bool is_looked_at = config->execution == VGPU_EXECUTE_ALL || config->sample_seed;
    const enum check_level check = is_looked_at ? config->check : CHECK_OFF;
    const bool fills_late = late_is_used(runtime_memory());
    const bool is_drawn = config->execution == VGPU_EXECUTE_SAMPLE && config->sample_seed;
    /* where accesses are looked at, memory is filled in late, and samples save what they overwrite */
    const bool notes_use = config->notes_use || (check != CHECK_FULL && (fills_late || is_drawn));
    *launch = (struct launch){
        .kernel = request->kernel->function,
        .kernel_name = request->kernel->name,
        .gpu = config->gpu,
        .memory = runtime_memory(),
        .grid = {request->grid.x, request->grid.y, request->grid.z},
        .dim = {request->block.x, request->block.y, request->block.z},
        .dynamic_shared = (uint32_t)request->shared,
        .nblocks = launch_count(request->grid),
        .index = count++,
        .is_cooperative = request->is_cooperative,
        .depth = request->depth,
        .error_text = cudaGetErrorString,
        .host_advice = variable_advice,
        .check = notes_use ? CHECK_FULL : check,
        .checker = choose_checker(request->kernel, check, notes_use),
        .is_sampled = config->execution == VGPU_EXECUTE_SAMPLE,
        .sample_seed = config->sample_seed,
        .sample_least = config->sample_least,
        .order = config->order,
        .is_recorded = config->is_timed,
        .is_pictured = config->is_timed && watch_wants_profile(),
        .fills_late = fills_late,
        .is_searched = check == CHECK_FULL && !config->notes_use,
        .budget = config->budget,
        .work = config->work,
        .patience = config->patience,
        .stack_bytes = device_stack_bytes(),
        .garbage = config->garbage,
        .start_ns = clock_kernel_start(request->stream),
        .blocks_per_sm = occupancy->blocks_per_sm,
        .resident_blocks = (uint64_t)occupancy->blocks_per_sm * config->gpu->sms,
    };
    launch->trail_steps = follow_wants(launch);
    if (launch->is_pictured)
        loops_find(launch->kernel->module);
}

static void estimate_time(struct estimate *out, const struct launch *launch,
                          const struct occupancy *occupancy)
{
    const struct config *config = runtime_config();
    const double overhead = launch->gpu->launch_overhead_us;
    if (config->is_timed)
        model_estimate(out, launch, occupancy,
                       watch_wants_profile()   ? MODEL_PROFILED
                       : config->counters_path ? MODEL_EXPLAINED
                                               : MODEL_TIME);
    else
        *out = (struct estimate){.time_us = overhead, .launch_us = overhead, .limiter = "none"};
}

static void account(struct launch *launch, const struct launch_request *request,
                    const struct occupancy *occupancy)
{
    struct counters counters;
    struct estimate estimate;
    counters_collect(&counters, launch);
    estimate_time(&estimate, launch, occupancy);
    clock_kernel_end(request->stream, &estimate,
                     (double)launch_count(request->grid) / (double)launch->resident_blocks,
                     launch->kernel_name);
    counters_file_add(launch, &counters, occupancy, &estimate);
    follow_explain(launch, estimate.time_us);
    watch_launched(launch, &counters, occupancy, &estimate);
    follow_launch(launch, estimate.time_us);
    estimate_free(&estimate);
}

/* Findings are shown at once; what the kernel printed waits for the host. */
static void show(const struct launch *launch)
{
    if (launch->printed.size && !watch_printed(launch->printed.text, launch->printed.size))
        print_keep(launch->printed.text, launch->printed.size);
    if (launch->failed.size)
        report_assertions(launch->failed.text, launch->failed.size);
    if (launch->findings && findings_count(launch->findings)) {
        fflush(stdout);
        report_launch(launch->findings, launch);
    }
}

enum { WORKSPACE_BYTES = 64 };

/* Grid-wide barriers of cooperative groups need two words of device memory: its own size, and the barrier. */
static struct allocation *make_workspace(struct launch *launch)
{
    if (!launch->is_cooperative)
        return NULL;
    struct allocation *allocation = memory_alloc(launch->memory, WORKSPACE_BYTES, ALLOC_SYMBOL);
    const uint32_t size = WORKSPACE_BYTES;
    if (!allocation)
        return NULL;
    allocation->name = "grid barrier";
    memset(allocation->host, 0, WORKSPACE_BYTES);
    memcpy(allocation->host, &size, sizeof size);
    memory_mark_written(allocation, allocation->base, WORKSPACE_BYTES);
    launch->workspace = allocation->base;
    return allocation;
}

static void tell(const struct launch_request *request, const uint8_t *params)
{
    enum { MAX_PARAMS = 1024 };
    const struct function *function = request->kernel->function;
    uint32_t offsets[MAX_PARAMS], sizes[MAX_PARAMS],
        count = function->nparams < MAX_PARAMS ? function->nparams : 0;
    if (!watch_wants_operations() || request->depth)
        return;
    for (uint32_t i = 0; i < count; i++) {
        offsets[i] = function->params[i].offset;
        sizes[i] = function->params[i].size;
    }
    watch_operation(&(struct vgpu_operation){.kind = VGPU_LAUNCH,
                                             .call = "<<<...>>>",
                                             .stream = watch_stream(request->stream),
                                             .kernel = request->kernel->name,
                                             .grid = {request->grid.x, request->grid.y, request->grid.z},
                                             .block = {request->block.x, request->block.y, request->block.z},
                                             .shared = (uint32_t)request->shared,
                                             .shared_limit = (uint32_t)request->kernel->dynamic_shared_limit,
                                             .is_cooperative = request->is_cooperative,
                                             .arguments = params,
                                             .argument_offsets = offsets,
                                             .argument_sizes = sizes,
                                             .narguments = count});
}

static bool wait_for_host(void *job, bool is_first)
{
    return beside_wait_for_host(job, is_first);
}

static void run_children(const struct launch_request *parent, const struct child *children,
                         struct beside *job);

/* Under the runtime's lock, which is left while a kernel runs beside the host (job; else NULL). params are freed. */
static cudaError_t execute(const struct launch_request *request, const struct occupancy *occupancy,
                           uint8_t *params, struct beside *job)
{
    struct launch launch;
    tell(request, params);
    if (runtime_config()->execution == VGPU_EXECUTE_NONE) {
        free(params);
        return cudaSuccess;
    }
    fill(&launch, request, occupancy);
    launch.params = params;
    struct footprint footprint = {0};
    if (order_is_kept() && launch.checker == &check_levels[CHECK_FULL])
        launch.footprint = &footprint;
    launch.outside = job;
    launch.wait_outside = job ? wait_for_host : NULL;
    struct allocation *workspace = make_workspace(&launch);
    if (job)
        runtime_unlock();
    beside_take_device();
    progress_begin(&launch);
    int fault = launch_run(&launch, runtime_config()->threads);
    progress_end(&launch);
    beside_give_device();
    if (job)
        runtime_lock();
    runtime_spend(launch.work_done);
    host_clock_launched();
    if (workspace)
        memory_release(launch.memory, workspace);
    hints_take(request->kernel, &launch);
    if (launch.footprint && !(job && beside_has_waited(job)))
        order_launch(launch.kernel_name, request->stream, launch.kernel->uses_order, &footprint);
    footprint_free(&footprint);
    show(&launch);
    account(&launch, request, occupancy);
    struct child *children = children_take(&launch);
    launch_release(&launch);
    free(params);
    if (fault)
        runtime_fault((cudaError_t)fault);
    run_children(request, children, job);
    children_free(children, runtime_memory());
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- what kernels launch */

static void run_child(const struct launch_request *parent, const struct child *child, struct beside *job)
{
    const struct child_shape *shape = &child->shape;
    struct occupancy occupancy;
    cudaError_t error = cudaSuccess;
    struct launch_request request = {
        .kernel = kernel_of_image(parent->kernel->image, child->kernel->name, &error),
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->dim[0], shape->dim[1], shape->dim[2]},
        .shared = shape->dynamic_shared,
        .stream = parent->stream,
        .depth = parent->depth + 1,
    };
    error = error ? error : launch_check(&request, &occupancy);
    uint8_t *params = error ? NULL : malloc(child->kernel->param_bytes + 16);
    if (!params) {
        runtime_fault(error ? error : cudaErrorMemoryAllocation);
        return;
    }
    memcpy(params, child->params, child->kernel->param_bytes);
    execute(&request, &occupancy, params, job);
}

/* One after the other, as if all were given to the parent's stream. */
static void run_children(const struct launch_request *parent, const struct child *children,
                         struct beside *job)
{
    if (children)
        watch_other("<<<...>>> in a kernel");
    for (const struct child *child = children; child && !runtime_has_fault(); child = child->next) {
        cudaError_t error = cudaSuccess;
        if (child->kind == CHILD_KERNEL)
            run_child(parent, child, job);
        else if (child->kind == CHILD_COPY)
            error = cudaMemcpyAsync((void *)child->to, (const void *)child->from, child->bytes,
                                    cudaMemcpyDefault, parent->stream);
        else
            error = cudaMemsetAsync((void *)child->to, child->value, child->bytes, parent->stream);
        if (error)
            runtime_fault(error);
    }
}

/* ------------------------------------------------------------------------------------------- beside the host */

struct beside_launch {
    struct launch_request request;
    struct occupancy occupancy;
    uint8_t *params;
    void *frames[ALLOC_FRAMES]; /* of the call */
};

static void run_beside(void *context, struct beside *job)
{
    struct beside_launch *launch = context;
    runtime_lock();
    order_set_frames(launch->frames);
    if (runtime_has_fault())
        free(launch->params);
    else
        execute(&launch->request, &launch->occupancy, launch->params, job);
    runtime_unlock();
    free(launch);
}

static void find_host_memory(struct allocation *allocation, void *is_found)
{
    if (allocation->kind == ALLOC_PINNED || allocation->kind == ALLOC_MANAGED)
        *(bool *)is_found = true;
}

/* A kernel that may poll, and memory that the host can write while it does; or it comes after such a kernel. */
static bool may_wait_for_host(const struct launch_request *request)
{
    bool is_found = false;
    if (runtime_config()->execution != VGPU_EXECUTE_ALL || watch_is_on())
        return false;
    if (beside_is_busy(request->stream))
        return true;
    if (request->kernel->function->uses_order)
        memory_each(runtime_memory(), find_host_memory, &is_found);
    return is_found;
}

static bool launch_beside(const struct launch_request *request, const struct occupancy *occupancy,
                          uint8_t *params)
{
    struct beside_launch *launch = malloc(sizeof *launch);
    if (!launch)
        return false;
    *launch = (struct beside_launch){*request, *occupancy, params, {NULL}};
    order_frames(launch->frames);
    if (beside_run(run_beside, launch, request->stream))
        return true;
    free(launch);
    return false;
}

static cudaError_t capture(const struct launch_request *request)
{
    uint8_t *params = copy_params(request->kernel->function, request->args);
    if (!params)
        return runtime_error(cudaErrorMemoryAllocation);
    tell(request, params);
    free(params);
    return capture_kernel(request);
}

cudaError_t launch_kernel(const struct launch_request *request)
{
    struct occupancy occupancy;
    if (!stream_is_known(request->stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (request->kernel->function->nparams && !request->args)
        return runtime_error(cudaErrorInvalidValue);
    cudaError_t error = launch_check(request, &occupancy);
    if (error)
        return error;
    if (runtime_config()->refusal)
        return runtime_error((cudaError_t)runtime_config()->refusal);
    error = captures_use(request->stream, "the launch");
    if (error)
        return error;
    if (capture_is_active(request->stream))
        return capture(request);
    if (runtime_has_fault())
        return cudaSuccess;
    host_calls_wait_functions();
    uint8_t *params = copy_params(request->kernel->function, request->args);
    if (!params)
        return runtime_error(cudaErrorMemoryAllocation);
    if (may_wait_for_host(request) && launch_beside(request, &occupancy, params))
        return cudaSuccess;
    runtime_lock();
    error = execute(request, &occupancy, params, NULL);
    runtime_unlock();
    return error;
}

/* ------------------------------------------------------------------------------------------- calls */

static cudaError_t launch(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, bool is_cooperative, bool is_by_handle)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    struct kernel *kernel = kernel_load(host, &error);
    if (!kernel) {
        if (kernel_find(host))
            runtime_fault(error); /* who does not look at launches must not take old data for results */
        return error;
    }
    struct launch_request request = {kernel, grid,           block,        shared, args,
                                     stream, is_cooperative, is_by_handle, 0};
    return launch_kernel(&request);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    return launch(host, grid, block, args, shared, stream, false, false);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return launch(kernel, grid, block, args, shared, stream, false, true);
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    return launch(host, grid, block, args, shared, stream, true, false);
}

/* Of a launch's attributes, two matter here: cooperative, and clusters, which the virtual GPU does not have. */
static cudaError_t read_attributes(const cudaLaunchConfig_t *config, bool *is_cooperative)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            *is_cooperative = attribute->val.cooperative != 0;
        if (attribute->id != cudaLaunchAttributeClusterDimension)
            continue;
        if (attribute->val.clusterDim.x > 1 || attribute->val.clusterDim.y > 1 ||
            attribute->val.clusterDim.z > 1)
            return runtime_unsupported("cudaLaunchKernelExC", "thread block clusters of more than one block");
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host, void **args)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!config || (config->numAttrs && !config->attrs))
        return runtime_error(cudaErrorInvalidValue);
    bool is_cooperative = false;
    error = read_attributes(config, &is_cooperative);
    if (error)
        return error;
    return launch(host, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream,
                  is_cooperative, false);
}
