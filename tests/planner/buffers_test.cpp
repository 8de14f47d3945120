#include "codegen/planner/buffers.h"

#include <gtest/gtest.h>

namespace tenon::codegen {
namespace {

Step step_of(const std::vector<int32_t>& buffers) {
    Step step;
    for (const int32_t buffer : buffers) {
        KernelArgument argument;
        argument.buffer = buffer;
        step.kernel.arguments.push_back(argument);
    }
    return step;
}

/// x -> inner -> y, each 1024 bytes.
GraphData chain() {
    GraphData graph;
    for (const auto& [name, kind] :
         {std::pair("x", ValueKind::Input), {"inner", ValueKind::Computed}, {"y", ValueKind::Computed}}) {
        Value value;
        value.name = name;
        value.kind = kind;
        value.dims = {256};
        value.strides = {1};
        graph.values.push_back(value);
    }
    graph.outputs = {2};
    return graph;
}

const Buffer& buffer_of(const Program& program, size_t step, size_t argument) {
    return program.buffers[static_cast<size_t>(program.steps[step].kernel.arguments[argument].buffer)];
}

bool overlap(const Buffer& a, const Buffer& b) {
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

TEST(Buffers, ScratchOfSeveralKernelsLivesInTheWorkspace) {
    Emission first, second;
    first.scratch_bytes = {512, 2048};
    first.steps = {step_of({0, scratch_buffer(0), scratch_buffer(1)}), step_of({scratch_buffer(1), 1}),
                   step_of({scratch_buffer(0), 1})};
    second.scratch_bytes = {4096};
    second.steps = {step_of({1, scratch_buffer(0)}), step_of({scratch_buffer(0), 2})};
    Program program;
    place_buffers(chain(), {first, second}, program);

    ASSERT_EQ(program.steps.size(), 5u);
    EXPECT_EQ(buffer_of(program, 0, 0).kind, Buffer::Kind::Bound);
    EXPECT_EQ(buffer_of(program, 4, 1).kind, Buffer::Kind::Bound);
    const Buffer &small = buffer_of(program, 0, 1), &large = buffer_of(program, 0, 2),
                 &inner = buffer_of(program, 1, 1), &other = buffer_of(program, 3, 1);
    for (const Buffer* buffer : {&small, &large, &inner, &other}) EXPECT_EQ(buffer->kind, Buffer::Kind::Workspace);
    EXPECT_EQ(small.bytes, 512);
    EXPECT_EQ(large.bytes, 2048);
    EXPECT_EQ(other.bytes, 4096);
    EXPECT_EQ(&buffer_of(program, 2, 0), &small);
    EXPECT_EQ(&buffer_of(program, 4, 0), &other);
    EXPECT_FALSE(overlap(small, large));
    EXPECT_FALSE(overlap(small, inner));
    EXPECT_FALSE(overlap(large, inner));
    EXPECT_FALSE(overlap(other, inner));
}

TEST(Buffers, ScratchGivesItsPlaceBackBehindTheLastKernelThatUsesIt) {
    Emission first, second;
    first.scratch_bytes = {1 << 20};
    first.steps = {step_of({0, scratch_buffer(0)}), step_of({scratch_buffer(0), 1})};
    second.scratch_bytes = {1 << 20};
    second.steps = {step_of({1, scratch_buffer(0)}), step_of({scratch_buffer(0), 2})};
    Program program;
    place_buffers(chain(), {first, second}, program);
    EXPECT_EQ(buffer_of(program, 0, 1).offset, buffer_of(program, 2, 1).offset);
    EXPECT_LE(program.workspace_bytes, (1 << 20) + 1024);
}

}  // namespace
}  // namespace tenon::codegen
