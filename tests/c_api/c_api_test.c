/* A C program that uses the library as a runtime would. Exits with the number of checks that failed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/c.h>

static int failures = 0;

static void check(int is_right, const char* what, int line) {
    char sentence[512];
    if (is_right) return;
    tenon_last_error(sentence, sizeof sentence);
    fprintf(stderr, "line %d: %s\n    last error: %s\n", line, what, sentence);
    ++failures;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static int last_error_has(const char* words) {
    char sentence[2048];
    tenon_last_error(sentence, sizeof sentence);
    return strstr(sentence, words) != NULL;
}

static tenon_tensor_desc tensor(const char* name, const int64_t* dims, int32_t rank) {
    tenon_tensor_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.name = name;
    desc.type = TENON_F32;
    desc.dims = dims;
    desc.rank = rank;
    return desc;
}

/* y = relu(conv(x, w) + bias), 1x2x3x3 with a 1x1 filter. */
static tenon_graph* build_graph(void) {
    const int64_t x_dims[] = {1, 2, 3, 3}, w_dims[] = {2, 2, 1, 1}, bias_dims[] = {2, 1, 1};
    const float w[] = {1, 1, 1, -1};
    tenon_graph* graph = NULL;
    tenon_tensor x = -1, filter = -1, bias = -1, conv = -1, sum = -1, y = -1, inputs[2];
    tenon_tensor_desc desc;
    tenon_result_desc result;
    size_t count = 0;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    result.name = "y";
    CHECK(tenon_graph_create(&graph) == TENON_OK);
    desc = tensor("x", x_dims, 4);
    CHECK(tenon_graph_input(graph, &desc, &x) == TENON_OK);
    desc = tensor("w", w_dims, 4);
    CHECK(tenon_graph_constant(graph, &desc, w, sizeof w, &filter) == TENON_OK);
    desc = tensor("bias", bias_dims, 3);
    CHECK(tenon_graph_input(graph, &desc, &bias) == TENON_OK);
    inputs[0] = x, inputs[1] = filter;
    CHECK(tenon_graph_op(graph, "conv", "{\"pad\": [0, 0, 0, 0], \"groups\": 1}", inputs, 2, NULL, &conv, 1, &count) ==
          TENON_OK);
    CHECK(count == 1);
    inputs[0] = conv, inputs[1] = bias;
    CHECK(tenon_graph_op(graph, "add", NULL, inputs, 2, NULL, &sum, 1, NULL) == TENON_OK);
    CHECK(tenon_graph_op(graph, "relu", NULL, &sum, 1, &result, &y, 1, NULL) == TENON_OK);
    CHECK(tenon_graph_output(graph, y, NULL) == TENON_OK);
    CHECK(tenon_graph_validate(graph) == TENON_OK);
    return graph;
}

static void check_numbers(const tenon_plan* plan, int32_t device) {
    float x[18], bias[2] = {-3.0f, 1.0f}, y[18];
    void* memory[3];
    int i;
    memory[0] = x, memory[1] = bias, memory[2] = y;
    for (i = 0; i < 9; ++i) x[i] = (float)i, x[9 + i] = 2.0f;
    for (i = 0; i < 18; ++i) y[i] = -1.0f;  /* no result is negative */
    CHECK(tenon_plan_run_on_cpu(plan, device, memory, 3) == TENON_OK);
    for (i = 0; i < 9; ++i) {
        const float sum = (float)i + 2.0f - 3.0f, difference = (float)i - 2.0f + 1.0f;
        CHECK(y[i] == (sum > 0.0f ? sum : 0.0f));
        CHECK(y[9 + i] == (difference > 0.0f ? difference : 0.0f));
    }
    CHECK(tenon_plan_run_on_cpu(plan, device, memory, 2) == TENON_INVALID_ARGUMENT);
    CHECK(last_error_has("2 addresses for 3 bindings"));
}

static void check_facts(const tenon_plan* plan) {
    tenon_plan_info info;
    tenon_tensor_info binding;
    tenon_blob* text = NULL;
    int32_t form;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    CHECK(tenon_plan_get_info(plan, &info) == TENON_OK);
    CHECK(info.kernel_count == 1 && info.binding_count == 3 && info.input_count == 2);
    CHECK(info.constant_bytes > 0);
    memset(&binding, 0, sizeof binding);
    binding.struct_size = sizeof binding;
    CHECK(tenon_plan_binding(plan, 2, &binding) == TENON_OK);
    CHECK(strcmp(binding.name, "y") == 0 && binding.is_output == 1 && binding.rank == 4 && binding.dims[1] == 2);
    CHECK(binding.bytes == 18 * 4 && binding.type == TENON_F32);
    CHECK(tenon_plan_binding(plan, 3, &binding) == TENON_INVALID_ARGUMENT);
    for (form = TENON_TEXT; form <= TENON_DOT; ++form) {
        CHECK(tenon_plan_explain(plan, form, &text) == TENON_OK);
        CHECK(tenon_blob_size(text) == strlen(tenon_blob_data(text)) && tenon_blob_size(text) > 100);
        tenon_blob_destroy(text);
    }
    CHECK(tenon_plan_explain(plan, 7, &text) == TENON_INVALID_ARGUMENT);
    CHECK(tenon_plan_source(plan, &text) == TENON_OK);
    CHECK(strstr(tenon_blob_data(text), "__global__") != NULL);
    tenon_blob_destroy(text);
}

static void check_files(const tenon_plan* plan, const tenon_target* target) {
    tenon_blob *bytes = NULL, *reason = NULL;
    tenon_plan* loaded = NULL;
    int32_t fit = -1;
    CHECK(tenon_plan_to_bytes(plan, &bytes) == TENON_OK);
    CHECK(tenon_plan_from_bytes(tenon_blob_data(bytes), tenon_blob_size(bytes), &loaded) == TENON_OK);
    check_numbers(loaded, TENON_REFERENCE);
    tenon_plan_destroy(loaded);
    CHECK(tenon_plan_compatibility(tenon_blob_data(bytes), tenon_blob_size(bytes), target, &fit, &reason) == TENON_OK);
    CHECK(fit == TENON_FIT_RECOMPILE && strstr(tenon_blob_data(reason), "h200") != NULL);
    tenon_blob_destroy(reason);
    CHECK(tenon_plan_compatibility("junk", 4, target, &fit, NULL) == TENON_OK && fit == TENON_FIT_REFUSED);
    CHECK(tenon_plan_from_bytes("junk", 4, &loaded) == TENON_BAD_FILE);
    CHECK(tenon_plan_load("/no/such/plan.tenon", &loaded) == TENON_NOT_FOUND);
    CHECK(tenon_plan_save(plan, "/no/such/folder/plan.tenon") == TENON_NOT_FOUND);
    tenon_blob_destroy(bytes);
}

static void check_graph_json(const tenon_graph* graph) {
    tenon_blob* text = NULL;
    tenon_graph* read = NULL;
    tenon_tensor y = -1;
    CHECK(tenon_graph_to_json(graph, &text) == TENON_OK);
    CHECK(tenon_graph_from_json(tenon_blob_data(text), &read) == TENON_OK);
    CHECK(tenon_graph_find(read, "y", &y) == TENON_OK && y >= 0);
    CHECK(tenon_graph_find(read, "z", &y) == TENON_NOT_FOUND);
    tenon_graph_destroy(read);
    tenon_blob_destroy(text);
    CHECK(tenon_graph_from_json("{", &read) == TENON_BAD_FILE);
}

/* A caller built against an older or a newer header. */
static void check_struct_sizes(const tenon_graph* graph, const tenon_target* target) {
    struct {
        tenon_plan_desc known;
        int64_t later;
    } newer;
    tenon_plan_desc older;
    tenon_plan* plan = NULL;
    memset(&newer, 0, sizeof newer);
    newer.known.struct_size = sizeof newer;
    CHECK(tenon_plan_build(graph, target, &newer.known, &plan) == TENON_OK);
    tenon_plan_destroy(plan);
    newer.later = 1;
    CHECK(tenon_plan_build(graph, target, &newer.known, &plan) == TENON_UNSUPPORTED);
    memset(&older, 0, sizeof older);
    older.struct_size = 8;
    older.no_fusion = 1;
    older.workspace_limit_bytes = 1; /* past the size given: must not be read */
    CHECK(tenon_plan_build(graph, target, &older, &plan) == TENON_OK);
    tenon_plan_destroy(plan);
    older.struct_size = 0;
    CHECK(tenon_plan_build(graph, target, &older, &plan) == TENON_INVALID_ARGUMENT);
}

static void check_errors(void) {
    const int64_t dims[] = {2, -3};
    tenon_tensor_desc desc = tensor("bad", dims, 2);
    tenon_graph* graph = NULL;
    tenon_tensor result = -1;
    tenon_target* target = NULL;
    char small[5];
    CHECK(tenon_graph_create(NULL) == TENON_INVALID_ARGUMENT);
    CHECK(tenon_graph_create(&graph) == TENON_OK);
    CHECK(tenon_graph_op(graph, "no_such_op", NULL, NULL, 0, NULL, &result, 1, NULL) != TENON_OK);
    CHECK(last_error_has("no_such_op"));
    CHECK(tenon_graph_op(graph, "conv", "{\"stride\": \"two\"}", NULL, 0, NULL, &result, 1, NULL) == TENON_BAD_FILE);
    CHECK(last_error_has("stride"));
    CHECK(tenon_graph_input(graph, &desc, NULL) == TENON_OK);
    CHECK(tenon_graph_validate(graph) == TENON_INVALID_GRAPH);
    CHECK(last_error_has("'bad' has the extent -3"));
    CHECK(tenon_last_error(small, sizeof small) > sizeof small && small[4] == '\0');
    desc.type = 77;
    CHECK(tenon_graph_input(graph, &desc, NULL) == TENON_INVALID_ARGUMENT);
    desc.rank = 9;
    CHECK(tenon_graph_input(graph, &desc, NULL) == TENON_INVALID_ARGUMENT);
    CHECK(tenon_target_named("h300", &target) == TENON_NOT_FOUND);
    CHECK(tenon_target_from_json("{}", &target) == TENON_BAD_FILE);
    CHECK(strcmp(tenon_status_name(TENON_OK), "OK") == 0);
    tenon_graph_destroy(graph);
}

int main(void) {
    tenon_graph* graph = build_graph();
    tenon_target* target = NULL;
    tenon_plan *plan = NULL, *edited = NULL;
    tenon_compiler* compiler = NULL;
    tenon_compiler_desc desc;
    CHECK(tenon_version()[0] != '\0' && tenon_abi_version() == 1);
    CHECK(tenon_target_named("h200", &target) == TENON_OK);
    CHECK(tenon_plan_build(graph, target, NULL, &plan) == TENON_OK);
    check_graph_json(graph);
    check_struct_sizes(graph, target);
    tenon_graph_destroy(graph); /* the plan keeps what it needs */
    check_facts(plan);
    check_numbers(plan, TENON_REFERENCE);
    check_numbers(plan, TENON_EMULATOR);
    check_files(plan, target);
    CHECK(tenon_plan_with_source(plan, "no_such_kernel", "", &edited) == TENON_NOT_FOUND);
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.strict = 1;
    CHECK(tenon_compiler_create(&desc, &compiler) == TENON_OK);
    {
        const char* architectures[] = {"sm_90a"};
        CHECK(tenon_plan_compile(plan, architectures, 1, compiler, &edited) == TENON_NOT_FOUND);
    }
    check_errors();
    tenon_compiler_destroy(compiler);
    tenon_plan_destroy(plan);
    tenon_target_destroy(target);
    tenon_graph_destroy(NULL);
    tenon_blob_destroy(NULL);
    tenon_ready_destroy(NULL);
    if (failures == 0) printf("all checks passed\n");
    return failures;
}
