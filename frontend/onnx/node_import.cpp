#include "frontend/onnx/node_import.h"

#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {

Result<Operands> single(Result<Operand> result) {
    if (!result.is_ok()) return result.status();
    return Operands{std::move(*result)};
}

Operands NodeImport::all_inputs() const {
    Operands operands;
    for (const Operand* input : inputs_) {
        if (input != nullptr) operands.push_back(*input);
    }
    return operands;
}

const Attribute* NodeImport::find(std::string_view name) const {
    for (const Attribute& attribute : proto_.attributes) {
        if (attribute.name == name) return &attribute;
    }
    return nullptr;
}

const Attribute* NodeImport::find(std::string_view name, Attribute::Type type) {
    read_.insert(std::string(name));
    const Attribute* attribute = find(name);
    if (attribute == nullptr || attribute->type == type) return attribute;
    if (mistake_.is_ok()) mistake_ = invalid("attribute '" + std::string(name) + "' has the wrong type");
    return nullptr;
}

int64_t NodeImport::integer(std::string_view name, int64_t fallback) {
    const Attribute* found = find(name, Attribute::Type::Int);
    return found == nullptr ? fallback : found->integer;
}

double NodeImport::number(std::string_view name, double fallback) {
    const Attribute* found = find(name, Attribute::Type::Float);
    return found == nullptr ? fallback : found->number;
}

std::string NodeImport::text(std::string_view name, std::string fallback) {
    const Attribute* found = find(name, Attribute::Type::String);
    return found == nullptr ? std::move(fallback) : found->text;
}

Dims NodeImport::integers(std::string_view name, Dims fallback) {
    const Attribute* found = find(name, Attribute::Type::Ints);
    return found == nullptr ? std::move(fallback) : found->integers;
}

std::vector<double> NodeImport::numbers(std::string_view name) {
    const Attribute* found = find(name, Attribute::Type::Floats);
    return found == nullptr ? std::vector<double>() : found->numbers;
}

const Known* NodeImport::tensor(std::string_view name) {
    const Attribute* found = find(name, Attribute::Type::Tensor);
    return found == nullptr ? nullptr : &*found->tensor;
}

Result<const Known*> NodeImport::known(size_t input) const {
    if (inputs_[input]->known) return &*inputs_[input]->known;
    return Status(ErrorCode::InvalidArgument,
                  "input '" + proto_.inputs[input] + "' must be known at import; give its value as a constant");
}

Result<Dims> NodeImport::known_integers(size_t input) const {
    TENON_ASSIGN(const Known* elements, known(input));
    if (elements->type != DataType::I64 && elements->type != DataType::I32)
        return invalid("input '" + proto_.inputs[input] + "' is " + std::string(to_string(elements->type)) +
                       ", needs i64 or i32");
    if (elements->dims.size() > 1 || elements->count() > 4096)
        return invalid("input '" + proto_.inputs[input] + "' is " + to_text(elements->dims) + ", needs a short list");
    return integers_of(*elements);
}

Result<std::vector<double>> NodeImport::known_numbers(size_t input) const {
    TENON_ASSIGN(const Known* elements, known(input));
    if (elements->dims.size() > 1 || elements->count() > 4096)
        return invalid("input '" + proto_.inputs[input] + "' is " + to_text(elements->dims) + ", needs a short list");
    return numbers_of(*elements);
}

Result<size_t> NodeImport::axis(int64_t named, size_t rank) const { return normalized_axis(named, rank); }

Status NodeImport::check_attributes() const {
    TENON_TRY(mistake_);
    for (const Attribute& attribute : proto_.attributes) {
        if (read_.count(attribute.name) > 0) continue;
        return unsupported("the attribute '" + attribute.name + "' is not supported");
    }
    return {};
}

}  // namespace tenon::onnx
