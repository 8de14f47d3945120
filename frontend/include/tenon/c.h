/* Tenon as a C library: build a graph, plan it, save it, run it. C99, no other header of Tenon is needed.
 *
 * - Every call that may fail returns a tenon_status; tenon_last_error has the sentence, per thread.
 * - Handles are opaque. `tenon_…_destroy(NULL)` does nothing. A plan keeps what it was made of, so graph and target may
 *   go before it. Plans, targets and compilers are immutable and may be used by several threads; a graph may not.
 * - Every struct begins with `struct_size`: set it to sizeof and the rest to zero, then what you need. Structs only
 *   grow at their end.
 * - Text comes in as zero-terminated UTF-8 and goes out as a blob, whose bytes are followed by a zero.
 * - No exception, signal, output or exit comes from the library, and it changes no CUDA state.
 */
#ifndef TENON_C_H
#define TENON_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TENON_API __attribute__((visibility("default")))
#else
#define TENON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of tenon::ErrorCode (status.h says what each means), and INTERNAL for a fault of the library. */
typedef int32_t tenon_status;
enum {
    TENON_OK = 0,
    TENON_INVALID_GRAPH = 1,
    TENON_INVALID_ARGUMENT = 2,
    TENON_UNSUPPORTED = 3,
    TENON_NOT_FOUND = 4,
    TENON_BAD_FILE = 5,
    TENON_INCOMPATIBLE_PLAN = 6,
    TENON_COMPILE_FAILED = 7,
    TENON_DRIVER_FAILED = 8,
    TENON_OUT_OF_MEMORY = 9,
    TENON_CAPTURE_UNSAFE = 10,
    TENON_CANCELLED = 11,
    TENON_INTERNAL = 100
};

/* Element types, in the order of tenon::DataType. */
enum {
    TENON_F16 = 0,
    TENON_BF16 = 1,
    TENON_F32 = 2,
    TENON_F64 = 3,
    TENON_I8 = 4,
    TENON_U8 = 5,
    TENON_I32 = 6,
    TENON_I64 = 7,
    TENON_BOOL = 8
};
enum { TENON_NCHW = 0, TENON_NHWC = 1 };
enum { TENON_FUSION_ALLOWED = 0, TENON_FUSION_FORBIDDEN = 1, TENON_FUSION_REQUIRED = 2 };
enum { TENON_TEXT = 0, TENON_JSON = 1, TENON_DOT = 2 };
enum { TENON_REFERENCE = 0, TENON_EMULATOR = 1 };
/* tenon::Fit: what it takes to run a plan on a device. */
enum {
    TENON_FIT_OPTIMAL = 0,
    TENON_FIT_RETUNE = 1,
    TENON_FIT_RECOMPILE = 2,
    TENON_FIT_REPLAN = 3,
    TENON_FIT_REFUSED = 4
};
#define TENON_MAX_RANK 8

typedef struct tenon_graph tenon_graph;
typedef struct tenon_target tenon_target;
typedef struct tenon_compiler tenon_compiler;
typedef struct tenon_plan tenon_plan;
typedef struct tenon_ready tenon_ready;
typedef struct tenon_blob tenon_blob;
/* A tensor of one graph. */
typedef int32_t tenon_tensor;
/* The same type as CUstream and cudaStream_t. */
typedef struct CUstream_st* tenon_stream;

typedef struct tenon_tensor_desc {
    uint32_t struct_size;
    int32_t type;
    int32_t layout; /* unless `strides` is given */
    int32_t rank;   /* at most TENON_MAX_RANK */
    const char* name;
    const int64_t* dims;
    const int64_t* strides; /* in elements, one per axis; NULL: as `layout` says */
} tenon_tensor_desc;

/* What may be said about a result; the rest follows the rule of the operation. */
typedef struct tenon_result_desc {
    uint32_t struct_size;
    int32_t has_type;
    int32_t type;
    int32_t has_layout;
    int32_t layout;
    int32_t rank;
    const char* name;
    const int64_t* strides; /* `rank` of them, or NULL */
} tenon_result_desc;

typedef struct tenon_tensor_info {
    uint32_t struct_size;
    int32_t type;
    int32_t rank;
    int32_t is_output;
    int64_t dims[TENON_MAX_RANK];
    int64_t strides[TENON_MAX_RANK]; /* in elements */
    int64_t bytes;                   /* from the first to one past the last */
    const char* name;                /* lives as long as the handle that was asked */
} tenon_tensor_info;

typedef struct tenon_compiler_desc {
    uint32_t struct_size;
    int32_t threads;          /* most kernels compiled at once; 0: one per core */
    const char* cache_folder; /* NULL or empty: none on disk */
    int64_t cache_bytes;      /* bound of the folder; 0: 256 MiB */
    int32_t strict;           /* 1: never compile */
    int32_t reserved;
    const char* nvrtc; /* path of libnvrtc; NULL: the usual places */
    void* user;        /* handed to the callbacks, which may come from any thread, one at a time */
    void (*log)(void* user, const char* line);
    int (*progress)(void* user, const char* what, int32_t done, int32_t total); /* 1 cancels */
} tenon_compiler_desc;

typedef struct tenon_plan_desc {
    uint32_t struct_size;
    int32_t no_fusion;             /* 1: one kernel per operation */
    int64_t workspace_limit_bytes; /* 0: none */
} tenon_plan_desc;

typedef struct tenon_plan_info {
    uint32_t struct_size;
    int32_t kernel_count;
    int32_t binding_count; /* inputs and host scalars, then outputs */
    int32_t input_count;
    int64_t workspace_bytes;
    int64_t constant_bytes;
} tenon_plan_info;

/* Versions and errors. The last error of this thread is written to `buffer`, cut to `capacity` with its zero; returns
 * the bytes that all of it needs. */
TENON_API const char* tenon_version(void);
TENON_API uint32_t tenon_abi_version(void);
TENON_API const char* tenon_status_name(tenon_status status);
TENON_API size_t tenon_last_error(char* buffer, size_t capacity);

TENON_API const char* tenon_blob_data(const tenon_blob* blob);
TENON_API size_t tenon_blob_size(const tenon_blob* blob); /* without the zero */
TENON_API void tenon_blob_destroy(tenon_blob* blob);

/* A GPU to plan for: the current one, a shipped profile ("h200"), or a profile as JSON text. */
TENON_API tenon_status tenon_target_current(tenon_target** target);
TENON_API tenon_status tenon_target_named(const char* name, tenon_target** target);
TENON_API tenon_status tenon_target_from_json(const char* text, tenon_target** target);
TENON_API tenon_status tenon_target_to_json(const tenon_target* target, tenon_blob** text);
TENON_API void tenon_target_destroy(tenon_target* target);

/* A graph. Building calls do not check; the first mistake comes out of tenon_graph_validate and tenon_plan_build. */
TENON_API tenon_status tenon_graph_create(tenon_graph** graph);
TENON_API void tenon_graph_destroy(tenon_graph* graph);
TENON_API tenon_status tenon_graph_input(tenon_graph* graph, const tenon_tensor_desc* desc, tenon_tensor* tensor);
TENON_API tenon_status tenon_graph_constant(tenon_graph* graph, const tenon_tensor_desc* desc, const void* data,
                                            size_t bytes, tenon_tensor* tensor);
TENON_API tenon_status tenon_graph_scalar(tenon_graph* graph, double value, int32_t type, tenon_tensor* tensor);
TENON_API tenon_status tenon_graph_host_scalar(tenon_graph* graph, const char* name, int32_t type,
                                               tenon_tensor* tensor);
/* Any operation by the name that JSON graphs give it ("conv", "softmax", "add"). `attributes` is a JSON object of the
 * fields of its struct in ops.h, e.g. "{\"pad\": [1, 1, 1, 1]}", or NULL. Its results go to `results`, at most
 * `capacity`; `count` (may be NULL) gets how many there are. */
TENON_API tenon_status tenon_graph_op(tenon_graph* graph, const char* op, const char* attributes,
                                      const tenon_tensor* inputs, size_t input_count, const tenon_result_desc* desc,
                                      tenon_tensor* results, size_t capacity, size_t* count);
TENON_API tenon_status tenon_graph_output(tenon_graph* graph, tenon_tensor tensor, const char* name);
TENON_API tenon_status tenon_graph_set_fusion(tenon_graph* graph, tenon_tensor result, int32_t fusion);
TENON_API tenon_status tenon_graph_set_numerics(tenon_graph* graph, int32_t relaxed, int32_t tf32);
TENON_API tenon_status tenon_graph_validate(const tenon_graph* graph);
TENON_API tenon_status tenon_graph_find(const tenon_graph* graph, const char* name, tenon_tensor* tensor);
TENON_API tenon_status tenon_graph_from_json(const char* text, tenon_graph** graph);
TENON_API tenon_status tenon_graph_to_json(const tenon_graph* graph, tenon_blob** text);

/* NVRTC with caches. Calls that take a compiler take NULL for the shared one, whose folder TENON_CACHE_DIR names. */
TENON_API tenon_status tenon_compiler_create(const tenon_compiler_desc* desc, tenon_compiler** compiler);
TENON_API void tenon_compiler_destroy(tenon_compiler* compiler);

/* Plans. Building needs no GPU, file or environment. `desc` may be NULL. */
TENON_API tenon_status tenon_plan_build(const tenon_graph* graph, const tenon_target* target,
                                        const tenon_plan_desc* desc, tenon_plan** plan);
TENON_API void tenon_plan_destroy(tenon_plan* plan);
/* The same plan with binaries for these architectures ("sm_90a"). */
TENON_API tenon_status tenon_plan_compile(const tenon_plan* plan, const char* const* architectures, size_t count,
                                          const tenon_compiler* compiler, tenon_plan** compiled);
TENON_API tenon_status tenon_plan_get_info(const tenon_plan* plan, tenon_plan_info* info);
/* Tensor of a binding: what run expects at that position. */
TENON_API tenon_status tenon_plan_binding(const tenon_plan* plan, int32_t position, tenon_tensor_info* info);
/* The plan as text, JSON or DOT. */
TENON_API tenon_status tenon_plan_explain(const tenon_plan* plan, int32_t form, tenon_blob** text);
/* All kernels as CUDA source; then one kernel's own text in place of the generated one. */
TENON_API tenon_status tenon_plan_source(const tenon_plan* plan, tenon_blob** text);
TENON_API tenon_status tenon_plan_with_source(const tenon_plan* plan, const char* kernel, const char* text,
                                              tenon_plan** edited);
TENON_API tenon_status tenon_plan_save(const tenon_plan* plan, const char* path);
TENON_API tenon_status tenon_plan_load(const char* path, tenon_plan** plan);
TENON_API tenon_status tenon_plan_to_bytes(const tenon_plan* plan, tenon_blob** bytes);
TENON_API tenon_status tenon_plan_from_bytes(const void* bytes, size_t size, tenon_plan** plan);
/* What a plan file would take on a device; loads nothing. `reason` may be NULL. */
TENON_API tenon_status tenon_plan_compatibility(const void* bytes, size_t size, const tenon_target* target,
                                                int32_t* fit, tenon_blob** reason);
/* Runs on host memory, without a GPU. `memory` has one address per binding. */
TENON_API tenon_status tenon_plan_run_on_cpu(const tenon_plan* plan, int32_t device, void* const* memory, size_t count);

/* Loads a plan into the current CUDA context; after this, running only enqueues and may be captured. */
TENON_API tenon_status tenon_prepare(const tenon_plan* plan, const tenon_compiler* compiler, tenon_stream stream,
                                     tenon_ready** ready);
TENON_API tenon_status tenon_upload_constants(tenon_ready* ready, void* memory, tenon_stream stream);
TENON_API tenon_status tenon_run(const tenon_ready* ready, void* const* memory, size_t count, void* workspace,
                                 int64_t workspace_bytes, tenon_stream stream);
TENON_API void tenon_ready_destroy(tenon_ready* ready);

#ifdef __cplusplus
}
#endif

#endif
