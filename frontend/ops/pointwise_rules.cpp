#include "frontend/ops/infer.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

bool in_domain(DataType type, PointwiseDomain domain) {
    switch (domain) {
        case PointwiseDomain::Numeric:
            return type != DataType::Bool;
        case PointwiseDomain::Floating:
            return is_floating(type);
        case PointwiseDomain::Integer:
            return is_integer(type);
        case PointwiseDomain::Boolean:
            return type == DataType::Bool;
        case PointwiseDomain::Any:
            return true;
    }
    return false;
}

/// The operand that decides the type: the first of rank above 0, else the first.
const Value& deciding(const Inputs& data) {
    for (const Value* value : data) {
        if (!value->dims.empty()) return *value;
    }
    return *data.front();
}

}  // namespace

Result<std::vector<Value>> infer_op(const Pointwise& op, const Inputs& inputs) {
    const PointwiseInfo& row = info(op.kind);
    TENON_TRY(need_inputs(inputs, static_cast<size_t>(row.inputs), static_cast<size_t>(row.inputs)));
    Inputs data = inputs;
    if (op.kind == PointwiseKind::Select) {
        if (inputs[0]->type != DataType::Bool) return invalid("the mask " + shown(*inputs[0]) + " must be bool");
        data.erase(data.begin());
    }
    const Value& first = deciding(data);
    for (const Value* value : data) {
        if (!in_domain(value->type, row.domain))
            return invalid(shown(*value) + " has a type that " + std::string(row.name) + " does not take");
        const bool floats = is_floating(first.type) && is_floating(value->type);
        if (!floats && value->type != first.type)
            return invalid(shown(first) + " and " + shown(*value) + " must both be floating or have one type");
    }
    TENON_ASSIGN(const Dims dims, broadcast(inputs));
    const DataType type = row.result == PointwiseResult::Bool ? DataType::Bool : first.type;
    return std::vector<Value>{result_like(inputs, type, dims)};
}

Result<std::vector<Value>> infer_op(const Cast& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    return std::vector<Value>{result_like(inputs, op.type, inputs[0]->dims)};
}

}  // namespace tenon
