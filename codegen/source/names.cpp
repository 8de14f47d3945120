#include "codegen/source/names.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace tenon::codegen {
namespace {

/// How the first reader of a load uses it, for naming.
std::string use_of(const Region& region, const Body& body, size_t load) {
    const Operand& operand = region.operands[static_cast<size_t>(body.terms[load].operand)];
    size_t moving = 0;
    for (size_t axis = 0; axis < body.dims.size(); ++axis) moving += body.dims[axis] > 1 && operand.strides[axis] != 0;
    const bool full = moving == static_cast<size_t>(
                                    std::count_if(body.dims.begin(), body.dims.end(), [](int64_t d) { return d > 1; }));
    for (const Term& term : body.terms) {
        const auto found = std::find(term.arguments.begin(), term.arguments.end(), static_cast<int>(load));
        if (found == term.arguments.end() || term.kind != Term::Kind::Apply) continue;
        switch (term.function.kind) {
            case PointwiseKind::Add:
            case PointwiseKind::Subtract:
                return full ? "residual" : "bias";
            case PointwiseKind::Multiply:
            case PointwiseKind::Divide:
                return full ? "factor" : moving <= 1 ? "scale" : "gate";
            case PointwiseKind::Prelu:
                return "slope";
            case PointwiseKind::Select:
                return found == term.arguments.begin() ? "mask" : "choice";
            default:
                return full ? "operand" : "setting";
        }
    }
    return "operand";
}

uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a; only names kernels, never decides equality
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

}  // namespace

std::string_view device_type(DataType type) {
    switch (type) {
        case DataType::F16:
            return "half";
        case DataType::BF16:
            return "bfloat16";
        case DataType::F32:
            return "float";
        case DataType::F64:
            return "double";
        case DataType::I8:
            return "int8";
        case DataType::U8:
            return "uint8";
        case DataType::I32:
            return "int32";
        case DataType::I64:
            return "int64";
        case DataType::Bool:
            return "bool";
    }
    return {};
}

void assign_roles(Region& region, const std::vector<std::string>& input_roles) {
    std::map<std::string, int> taken;
    const auto name = [&](Operand& operand, const std::string& role) {
        if (!operand.role.empty()) return;
        const int number = ++taken[role];
        operand.role = number == 1 ? role : role + "_" + std::to_string(number);
    };
    for (Operand& operand : region.operands) {
        if (operand.scratch) ++taken[operand.role];  // the family has named it
        if (!operand.scratch) operand.role.clear();
    }
    for (size_t i = 0; i < region.inputs.size(); ++i) {
        const Body& body = region.inputs[i];
        // The operand that carries the element: the first load over the whole input.
        for (size_t t = 0; t < body.terms.size(); ++t) {
            if (body.terms[t].kind != Term::Kind::Load) continue;
            Operand& operand = region.operands[static_cast<size_t>(body.terms[t].operand)];
            if (i < input_roles.size() && taken[input_roles[i]] == 0) {
                name(operand, input_roles[i]);
            } else {
                name(operand, use_of(region, body, t));
            }
        }
    }
    const bool pointwise = region.inputs.empty();
    bool first = true;
    for (size_t t = 0; t < region.epilogue.terms.size(); ++t) {
        const Term& term = region.epilogue.terms[t];
        if (term.kind != Term::Kind::Load) continue;
        Operand& operand = region.operands[static_cast<size_t>(term.operand)];
        name(operand, pointwise && first ? "x" : use_of(region, region.epilogue, t));
        first = false;
    }
    for (const Store& store : region.stores) name(region.operands[static_cast<size_t>(store.operand)], "y");
    for (const Store& store : region.anchor_stores) name(region.operands[static_cast<size_t>(store.operand)], "extra");
}

std::string constant_name(std::string_view role) {
    std::string name = "k";
    bool upper = true;
    for (const char c : role) {
        if (c == '_') {
            upper = true;
            continue;
        }
        name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return name;
}

std::string name_kernel(std::string_view stem, std::string& text) {
    constexpr std::string_view digits = "0123456789abcdef";
    const uint64_t hash = hash_of(text);
    std::string name(stem);
    name += '_';
    for (int shift = 28; shift >= 0; shift -= 4) name += digits[(hash >> shift) & 15];
    for (size_t at = text.find(kKernelNameMark); at != std::string::npos; at = text.find(kKernelNameMark, at)) {
        text.replace(at, kKernelNameMark.size(), name);
    }
    return name;
}

std::string stem_of(std::string_view anchor, const Region& region, size_t limit) {
    std::string stem(anchor);
    size_t count = 0;
    for (const Term& term : region.epilogue.terms) {
        if (term.kind != Term::Kind::Apply && term.kind != Term::Kind::Cast) continue;
        if (++count > limit) break;
        if (!stem.empty()) stem += '_';
        stem += term.kind == Term::Kind::Cast ? "cast" : info(term.function.kind).name;
    }
    return stem.empty() ? "copy" : stem;
}

}  // namespace tenon::codegen
