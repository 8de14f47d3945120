#include "codegen/kernels/rows/split_steps.h"

namespace tenon::codegen {

Operand scratch_operand(int number, DataType type, const Dims& dims, const std::string& role) {
    return {
        .type = type, .strides = packed_strides(dims, Layout::NCHW), .role = role, .scratch = Scratch{number, dims}};
}

void drop_unused_operands(Region& region) {
    std::vector<int> place(region.operands.size(), -1);
    const auto use = [&](int operand) {
        if (operand >= 0) place[static_cast<size_t>(operand)] = 0;
    };
    const auto visit_bodies = [&](const auto& visit) {
        for (Body& body : region.inputs) {
            for (Term& term : body.terms) visit(term.operand);
        }
        for (Term& term : region.epilogue.terms) visit(term.operand);
        for (Store& store : region.stores) visit(store.operand);
        for (Store& store : region.anchor_stores) visit(store.operand);
    };
    visit_bodies([&](int operand) { use(operand); });
    std::vector<Operand> kept;
    for (size_t i = 0; i < place.size(); ++i) {
        if (place[i] < 0) continue;
        place[i] = static_cast<int>(kept.size());
        kept.push_back(std::move(region.operands[i]));
    }
    visit_bodies([&](int& operand) {
        if (operand >= 0) operand = place[static_cast<size_t>(operand)];
    });
    region.operands = std::move(kept);
}

}  // namespace tenon::codegen
