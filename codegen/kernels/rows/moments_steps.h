#pragma once

#include "codegen/kernels/family.h"
#include "codegen/kernels/rows/norm_region.h"

namespace tenon::codegen {

/// A norm as three kernels: moments of every split of every slice, their merging into mean and inverse deviation (and,
/// in training, the running statistics), and a pointwise kernel that applies them. For statistics over more elements
/// than one block should read, and for groups of channels that are innermost: there every channel is gathered alone and
/// the merging adds up the channels of a group.
struct MomentsSteps {
    const NormRegion& norm;
    const EmitContext& context;

    /// RMS norms have no mean and stay in one kernel.
    bool takes() const { return norm.centred; }
    /// Read twice, written once, three launches.
    double predicted_seconds() const;
    Result<Emission> emit() const;
};

}  // namespace tenon::codegen
