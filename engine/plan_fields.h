#pragma once

#include <type_traits>

#include "engine/plan_data.h"

namespace tenon::engine {

// What a plan is made of, every part once: `fields(archive, thing)` hands the members of a thing to an archive that
// writes or reads them in that order. The structured bindings make a member that is missing here a compile error.
// A change to these lists is a change of the file format: raise kPlanFormat in plan_file.cpp.

template <typename Maybe, typename T>
concept Is = std::is_same_v<std::remove_const_t<Maybe>, T>;

template <typename Archive, Is<codegen::LaunchShape> Self>
void fields(Archive& archive, Self& self) {
    auto& [grid, block, cluster, shared_bytes, dependent] = self;
    archive(grid, block, cluster, shared_bytes, dependent);
}

template <typename Archive, Is<codegen::TensorMapShape> Self>
void fields(Archive& archive, Self& self) {
    auto& [dims, strides, box, steps, swizzle_bytes, rounds_to_tf32, is_im2col, lower, upper, channels, pixels] = self;
    archive(dims, strides, box, steps, swizzle_bytes, rounds_to_tf32, is_im2col, lower, upper, channels, pixels);
}

template <typename Archive, Is<codegen::KernelArgument> Self>
void fields(Archive& archive, Self& self) {
    auto& [kind, role, type, buffer, byte_offset, span_bytes, alignment, written, is_early, map] = self;
    archive(kind, role, type, buffer, byte_offset, span_bytes, alignment, written, is_early, map);
}

template <typename Archive, Is<codegen::KernelSource> Self>
void fields(Archive& archive, Self& self) {
    auto& [name, text, launch, arguments] = self;
    archive(name, text, launch, arguments);
}

template <typename Archive, Is<codegen::Note> Self>
void fields(Archive& archive, Self& self) {
    auto& [code, text] = self;
    archive(code, text);
}

template <typename Archive, Is<codegen::Step> Self>
void fields(Archive& archive, Self& self) {
    auto& [kernel, family, formula, nodes, tile, bytes_moved, bytes_saved, flops, predicted_seconds, notes] = self;
    archive(kernel, family, formula, nodes, tile, bytes_moved, bytes_saved, flops, predicted_seconds, notes);
}

template <typename Archive, Is<codegen::Buffer> Self>
void fields(Archive& archive, Self& self) {
    auto& [kind, value, offset, bytes, data] = self;
    archive(kind, value, offset, bytes, data);
}

template <typename Archive, Is<codegen::Program> Self>
void fields(Archive& archive, Self& self) {
    auto& [buffers, steps, workspace_bytes, constant_bytes, rewrites] = self;
    archive(buffers, steps, workspace_bytes, constant_bytes, rewrites);
}

template <typename Archive, Is<Value> Self>
void fields(Archive& archive, Self& self) {
    auto& [name, kind, type, dims, strides, producer, data] = self;
    archive(name, kind, type, dims, strides, producer, data);
}

template <typename Archive, Is<Node> Self>
void fields(Archive& archive, Self& self) {
    auto& [name, op, inputs, outputs, fusion] = self;
    archive(name, op, inputs, outputs, fusion);
}

template <typename Archive, Is<Numerics> Self>
void fields(Archive& archive, Self& self) {
    auto& [relaxed, tf32] = self;
    archive(relaxed, tf32);
}

/// A graph with a mistake is never planned, so the mistake is not part of the file.
template <typename Archive, Is<GraphData> Self>
void fields(Archive& archive, Self& self) {
    auto& [values, nodes, outputs, numerics, first_mistake] = self;
    archive(values, nodes, outputs, numerics);
}

template <typename Archive, Is<Target> Self>
void fields(Archive& archive, Self& self) {
    auto& [name, capability, measured, multiprocessors, shared_block, shared_processor, registers, l2, memory, clock,
           f16, tf32, i8, f32, launch] = self;
    archive(name, capability, measured, multiprocessors, shared_block, shared_processor, registers, l2, memory, clock,
            f16, tf32, i8, f32, launch);
}

template <typename Archive, Is<PlanOptions> Self>
void fields(Archive& archive, Self& self) {
    auto& [fuse, workspace_limit_bytes, candidate] = self;
    archive(fuse, workspace_limit_bytes, candidate);
}

template <typename Archive, Is<CompiledKernel> Self>
void fields(Archive& archive, Self& self) {
    auto& [image, registers, spill_bytes, static_shared_bytes, compile_seconds] = self;
    archive(image, registers, spill_bytes, static_shared_bytes, compile_seconds);
}

}  // namespace tenon::engine
