#include "codegen/source/body_text.h"

#include <algorithm>
#include <map>

#include "codegen/source/literal.h"
#include "codegen/source/names.h"

namespace tenon::codegen {
namespace {

/// The C++ type a declared type is computed in. Values of one class can share a variable.
enum class ComputeClass { Float, Double, Int, Long, Bool };

ComputeClass class_of(DataType type) {
    switch (type) {
        case DataType::F64:
            return ComputeClass::Double;
        case DataType::I8:
        case DataType::U8:
        case DataType::I32:
            return ComputeClass::Int;
        case DataType::I64:
            return ComputeClass::Long;
        case DataType::Bool:
            return ComputeClass::Bool;
        default:
            return ComputeClass::Float;
    }
}

std::string_view operator_of(PointwiseKind kind) {
    switch (kind) {
        case PointwiseKind::Add:
            return "+";
        case PointwiseKind::Subtract:
            return "-";
        case PointwiseKind::Multiply:
            return "*";
        case PointwiseKind::Equal:
            return "==";
        case PointwiseKind::NotEqual:
            return "!=";
        case PointwiseKind::Greater:
            return ">";
        case PointwiseKind::GreaterEqual:
            return ">=";
        case PointwiseKind::Less:
            return "<";
        case PointwiseKind::LessEqual:
            return "<=";
        default:
            return {};
    }
}

/// Functions whose result is one of their (already rounded) inputs, or is representable whenever they are.
bool keeps_representable(const Pointwise& function) {
    switch (function.kind) {
        case PointwiseKind::Identity:
        case PointwiseKind::Negate:
        case PointwiseKind::Abs:
        case PointwiseKind::Sign:
        case PointwiseKind::Maximum:
        case PointwiseKind::Minimum:
        case PointwiseKind::Ceil:
        case PointwiseKind::Floor:
        case PointwiseKind::Round:
        case PointwiseKind::Truncate:
        case PointwiseKind::Select:
            return true;
        case PointwiseKind::Relu:
            return function.parameters[0] == 0.0;
        default:
            return false;
    }
}

class BodyWriter {
  public:
    BodyWriter(const Region& region, const Body& body, const std::vector<Store>& stores,
               const std::vector<Access>& list, const Domain& domain, const BodyStyle& style)
        : region_(region),
          body_(body),
          stores_(stores),
          list_(list),
          domain_(domain),
          style_(style),
          last_use_(body.terms.size(), -1),
          text_(body.terms.size()),
          variable_(body.terms.size()),
          is_lanes_(body.terms.size(), true) {
        for (size_t t = 0; t < body.terms.size(); ++t) {
            for (const int argument : body.terms[t].arguments)
                last_use_[static_cast<size_t>(argument)] = static_cast<int>(t);
        }
    }

    void write() {
        for (size_t t = 0; t < body_.terms.size(); ++t) {
            write_term(t);
            write_stores(t);
        }
        if (style_.returns) add("return " + text_.back() + ";");
    }

    std::string statements;
    std::string declarations;

  private:
    void add(const std::string& line) { statements += (statements.empty() ? "" : "\n") + line; }

    int readers(size_t term) const {
        int count = 0;
        for (const Term& t : body_.terms) {
            count += static_cast<int>(std::count(t.arguments.begin(), t.arguments.end(), static_cast<int>(term)));
        }
        return count;
    }

    int stores_of(size_t term) const {
        return static_cast<int>(std::count_if(stores_.begin(), stores_.end(),
                                              [&](const Store& s) { return s.term == static_cast<int>(term); }));
    }

    void write_term(size_t t) {
        const Term& term = body_.terms[t];
        switch (term.kind) {
            case Term::Kind::Load:
                write_load(t, term);
                break;
            case Term::Kind::Literal:
                text_[t] = literal(term.type, term.literal, term.integer);
                is_lanes_[t] = false;
                break;
            case Term::Kind::Index: {
                const std::string index = "coordinate<" + declare(access_of(t), style_.index) + ">(" + style_.at + ")";
                assign(t, term.type == DataType::I32
                              ? index
                              : "cast<" + std::string(device_type(term.type)) + ">(" + index + ")");
                break;
            }
            case Term::Kind::Anchor:
                write_anchor(t, term);
                break;
            case Term::Kind::Cast:
                write_cast(t, term);
                break;
            case Term::Kind::Apply:
                write_apply(t, term);
                break;
        }
    }

    void write_load(size_t t, const Term& term) {
        const Operand& operand = region_.operands[static_cast<size_t>(term.operand)];
        if (operand.is_host_scalar) {
            text_[t] = "widened(" + operand.role + ")";
            is_lanes_[t] = false;
            return;
        }
        is_lanes_[t] =
            domain_.strides[access_of(t)] == domain_.packed() || domain_.strides[access_of(t)].column.back() != 0;
        const std::string load = access_text(access_of(t), operand.role, "");
        const bool returned = style_.returns && t + 1 == body_.terms.size();
        if (readers(t) + stores_of(t) + returned == 1) {
            text_[t] = load;
        } else {
            assign(t, load);
        }
    }

    void write_anchor(size_t t, const Term& term) {
        text_[t] = variable_[t] = style_.anchor;
        names_[style_.anchor] = 1;
        if (readers(t) > 0 && needs_rounding(t, term, false)) {
            add(style_.anchor + " = rounded<" + std::string(device_type(term.type)) + ">(" + style_.anchor + ");");
        }
    }

    void write_cast(size_t t, const Term& term) {
        const size_t from = static_cast<size_t>(term.arguments[0]);
        is_lanes_[t] = is_lanes_[from];
        assign(t, "cast<" + std::string(device_type(term.type)) + ">(" + text_[from] + ")");
    }

    void write_apply(size_t t, const Term& term) {
        std::string text = call(term);
        if (is_integer(term.type) && term.type != DataType::I64 && !keeps_representable(term.function)) {
            text = "wrapped<" + std::string(device_type(term.type)) + ">(" + text + ")";
        } else if (needs_rounding(t, term, keeps_representable(term.function))) {
            text = "rounded<" + std::string(device_type(term.type)) + ">(" + text + ")";
        } else if (class_of(term.type) == ComputeClass::Float && reads_double(term)) {
            text = "cast<" + std::string(device_type(term.type)) + ">(" + text + ")";
        } else if (term.type == DataType::F64) {
            text = "cast<double>(" + text + ")";
        }
        is_lanes_[t] = std::any_of(term.arguments.begin(), term.arguments.end(),
                                   [&](int a) { return is_lanes_[static_cast<size_t>(a)]; });
        assign(t, text);
    }

    bool reads_double(const Term& term) const {
        return std::any_of(term.arguments.begin(), term.arguments.end(),
                           [&](int a) { return body_.terms[static_cast<size_t>(a)].type == DataType::F64; });
    }

    std::string call(const Term& term) const {
        const auto argument = [&](size_t i) { return text_[static_cast<size_t>(term.arguments[i])]; };
        const std::string_view symbol = operator_of(term.function.kind);
        if (!symbol.empty()) return argument(0) + " " + std::string(symbol) + " " + argument(1);
        if (term.function.kind == PointwiseKind::Divide && is_floating(term.type))
            return argument(0) + " / " + argument(1);
        if (term.function.kind == PointwiseKind::Negate) return "-" + argument(0);
        if (term.function.kind == PointwiseKind::Identity) return argument(0);
        const PointwiseInfo& row = info(term.function.kind);
        std::string text = std::string(row.name) + "(";
        for (size_t i = 0; i < term.arguments.size(); ++i) text += (i > 0 ? ", " : "") + argument(i);
        return text + parameters(term, row) + ")";
    }

    static std::string parameters(const Term& term, const PointwiseInfo& row) {
        bool initial = true;
        for (size_t i = 0; i < 3; ++i)
            initial &= row.parameters[i].name.empty() || term.function.parameters[i] == row.parameters[i].initial;
        if (initial) return {};
        std::string text;
        for (size_t i = 0; i < 3 && !row.parameters[i].name.empty(); ++i) {
            text += ", " + double_literal(term.function.parameters[i]);
        }
        return text;
    }

    bool needs_rounding(size_t t, const Term& term, bool keeps) const {
        if (style_.relaxed || (term.type != DataType::F16 && term.type != DataType::BF16)) return false;
        if (readers(t) == 0 && !style_.returns) return false;  // the store rounds
        const auto already = [&](int argument) {
            const DataType type = body_.terms[static_cast<size_t>(argument)].type;
            return type == term.type || type == DataType::Bool;
        };
        return !keeps || !std::all_of(term.arguments.begin(), term.arguments.end(), already);
    }

    /// Puts `text` into a variable: the one of an argument that dies here if it has the same class, else a new one.
    void assign(size_t t, const std::string& text) {
        const Term& term = body_.terms[t];
        if (style_.returns && t + 1 == body_.terms.size()) {
            text_[t] = text;  // stands behind `return`
            return;
        }
        for (const int argument : term.arguments) {
            const size_t a = static_cast<size_t>(argument);
            if (variable_[a].empty() || last_use_[a] != static_cast<int>(t)) continue;
            if (class_of(body_.terms[a].type) != class_of(term.type) || is_lanes_[a] != is_lanes_[t]) continue;
            variable_[t] = text_[t] = variable_[a];
            if (text != text_[t]) add(text_[t] + " = " + text + ";");
            return;
        }
        const std::string stem = term.type == DataType::Bool ? "mask" : names_.empty() ? "value" : "branch";
        const int number = ++names_[stem];
        variable_[t] = text_[t] = number == 1 ? stem : stem + "_" + std::to_string(number);
        if (is_role(text_[t])) return assign(t, text);  // the next number
        add("auto " + text_[t] + " = " + text + ";");
    }

    /// Operands and variables share one scope.
    bool is_role(const std::string& name) const {
        return std::any_of(region_.operands.begin(), region_.operands.end(),
                           [&](const Operand& operand) { return operand.role == name; });
    }

    void write_stores(size_t t) {
        for (size_t s = 0; s < stores_.size(); ++s) {
            if (stores_[s].term != static_cast<int>(t)) continue;
            const size_t access = list_.size() - stores_.size() + s;
            add(access_text(access, region_.operands[static_cast<size_t>(stores_[s].operand)].role, text_[t]) + ";");
        }
    }

    size_t access_of(size_t term) const {
        const auto found =
            std::find_if(list_.begin(), list_.end(), [&](const Access& a) { return a.term == static_cast<int>(term); });
        return static_cast<size_t>(found - list_.begin());
    }

    /// `per_element(x, at)` and its relatives; a store if `value` is given.
    std::string access_text(size_t access, const std::string& role, const std::string& value) {
        const DomainStrides& strides = domain_.strides[access];
        const DomainStrides packed = domain_.packed();
        const auto still = [](const Dims& s) {
            return std::all_of(s.begin(), s.end(), [](int64_t v) { return v == 0; });
        };
        const std::string rest = "(" + role + ", " + style_.at + (value.empty() ? "" : ", " + value) + ")";
        if (strides == packed) return (value.empty() ? "per_element" : "store") + rest;
        if (value.empty() && still(strides.row) && still(strides.column)) return "scalar" + rest;
        if (value.empty() && still(strides.row) && strides.column == packed.column) return style_.column_word + rest;
        if (value.empty() && still(strides.column) && is_row_number(strides.row)) return "per_row" + rest;
        return (value.empty() ? "strided<" : "store_strided<") + declare(access, role) + ">" + rest;
    }

    bool is_row_number(const Dims& strides) const {
        int64_t stride = 1;
        for (size_t i = domain_.rows.size(); i-- > 0; stride *= domain_.rows[i]) {
            if (strides[i] != stride) return false;
        }
        return true;
    }

    std::string declare(size_t access, const std::string& role) {
        const auto list = [](const Dims& dims) {
            std::string text;
            for (const int64_t stride : dims) text += (text.empty() ? "" : ", ") + std::to_string(stride);
            return "{" + text + "}";
        };
        std::string name = constant_name(role);
        if (role == style_.index) name += ++index_count_ > 1 ? std::to_string(index_count_) : "";
        const DomainStrides& strides = domain_.strides[access];
        std::string line = "constexpr Strides " + name + "{";
        if (!strides.row.empty()) line += ".row = " + list(strides.row) + ", ";
        line += ".column = " + list(strides.column) + "};";
        if (declarations.find(line) == std::string::npos) declarations += line + "\n";
        return name;
    }

    const Region& region_;
    const Body& body_;
    const std::vector<Store>& stores_;
    const std::vector<Access>& list_;
    const Domain& domain_;
    const BodyStyle& style_;
    std::vector<int> last_use_;
    std::vector<std::string> text_;      // how later terms refer to a term
    std::vector<std::string> variable_;  // the variable that holds it, if any
    std::vector<bool> is_lanes_;         // false: one value for all lanes
    std::map<std::string, int> names_;
    int index_count_ = 0;
};

/// Mathematical text of a term, nested.
std::string formula_of(const Region& region, const Body& body, size_t t, const std::string& anchor, int depth = 0) {
    const Term& term = body.terms[t];
    if (depth > 12) return "…";  // shared terms are written out at each use, which doubles with depth
    const auto argument = [&](size_t i) {
        return formula_of(region, body, static_cast<size_t>(term.arguments[i]), anchor, depth + 1);
    };
    const auto atom = [&](size_t i) {
        const Term& inner = body.terms[static_cast<size_t>(term.arguments[i])];
        const bool compound = inner.kind == Term::Kind::Apply && !operator_of(inner.function.kind).empty();
        return compound ? "(" + argument(i) + ")" : argument(i);
    };
    switch (term.kind) {
        case Term::Kind::Load:
            return region.operands[static_cast<size_t>(term.operand)].role;
        case Term::Kind::Literal: {
            std::string text = literal(term.type, term.literal, term.integer);
            if (text.size() > 1 && text.back() == 'f' && text[0] != 'k') text.pop_back();
            return text;
        }
        case Term::Kind::Index:
            return "index";
        case Term::Kind::Anchor:
            return anchor;
        case Term::Kind::Cast:
            return std::string(to_string(term.type)) + "(" + argument(0) + ")";
        case Term::Kind::Apply:
            break;
    }
    const std::string_view symbol = operator_of(term.function.kind);
    const bool sum = term.function.kind == PointwiseKind::Add;
    if (!symbol.empty()) return (sum ? argument(0) : atom(0)) + " " + std::string(symbol) + " " + atom(1);
    std::string text(info(term.function.kind).name);
    text += "(";
    for (size_t i = 0; i < term.arguments.size(); ++i) text += (i > 0 ? ", " : "") + argument(i);
    return text + ")";
}

}  // namespace

std::vector<Access> accesses(const Region& region, const Body& body, const std::vector<Store>& stores) {
    std::vector<Access> list;
    for (size_t t = 0; t < body.terms.size(); ++t) {
        const Term& term = body.terms[t];
        if (term.kind == Term::Kind::Load) {
            const Operand& operand = region.operands[static_cast<size_t>(term.operand)];
            if (operand.is_host_scalar) continue;
            list.push_back({static_cast<int>(t), term.operand, operand.strides, operand.type, operand.offset});
        } else if (term.kind == Term::Kind::Index) {
            Dims strides(body.dims.size(), 0);
            strides[static_cast<size_t>(term.axis)] = 1;
            list.push_back({static_cast<int>(t), -1, strides, term.type, 0});
        }
    }
    for (const Store& store : stores) {
        const Operand& operand = region.operands[static_cast<size_t>(store.operand)];
        list.push_back({-1, store.operand, operand.strides, operand.type, operand.offset});
    }
    return list;
}

std::vector<Dims> strides_of(const std::vector<Access>& accesses) {
    std::vector<Dims> strides;
    for (const Access& access : accesses) strides.push_back(access.strides);
    return strides;
}

int lanes_for(const Domain& domain, const std::vector<Access>& accesses) {
    const auto moving_axes = [](const Access& access) {
        return std::count_if(access.strides.begin(), access.strides.end(), [](int64_t stride) { return stride != 0; });
    };
    std::ptrdiff_t most = 0;
    for (const Access& access : accesses) {
        if (access.operand >= 0) most = std::max(most, moving_axes(access));
    }
    Domain memory = domain;
    memory.strides.clear();
    std::vector<DataType> types;
    std::vector<int64_t> offsets;
    for (size_t i = 0; i < accesses.size(); ++i) {
        if (accesses[i].operand < 0) continue;
        memory.strides.push_back(domain.strides[i]);
        if (moving_axes(accesses[i]) == most) types.push_back(accesses[i].type);
        offsets.push_back(accesses[i].offset);
    }
    return widest_lanes(memory, types, offsets);
}

BodyText write_body(const Region& region, const Body& body, const std::vector<Store>& stores,
                    const std::vector<Access>& list, const Domain& domain, const BodyStyle& style,
                    const std::string& anchor_formula) {
    BodyWriter writer(region, body, stores, list, domain, style);
    writer.write();
    BodyText text{writer.declarations, writer.statements, {}};
    for (const Store& store : stores) {
        std::string formula = formula_of(region, body, static_cast<size_t>(store.term), anchor_formula);
        if (formula.size() > 96) formula = formula.substr(0, formula.rfind(' ', 90)) + " …";
        text.formula += (text.formula.empty() ? "" : "\n") + region.operands[static_cast<size_t>(store.operand)].role +
                        " = " + formula;
    }
    if (stores.empty()) text.formula = formula_of(region, body, body.terms.size() - 1, anchor_formula);
    return text;
}

}  // namespace tenon::codegen
