#include "codegen/kernels/contraction/source.h"
#include "codegen/kernels/direct/source.h"
#include "codegen/kernels/family.h"
#include "codegen/kernels/grouped/source.h"
#include "codegen/kernels/hopper/halo.h"
#include "codegen/kernels/hopper/source.h"
#include "codegen/kernels/hopper/stem.h"
#include "codegen/kernels/pointwise/source.h"
#include "codegen/kernels/reduce/source.h"
#include "codegen/kernels/rows/source.h"
#include "codegen/kernels/window/source.h"

namespace tenon::codegen {

std::span<const KernelFamily* const> families() {
    static const KernelFamily* const kFamilies[] = {
        &pointwise_family(), &rows_family(),   &reduce_family(),  &stem_family(),        &halo_family(),
        &hopper_family(),    &window_family(), &grouped_family(), &contraction_family(), &direct_family(),
    };
    return kFamilies;
}

}  // namespace tenon::codegen
