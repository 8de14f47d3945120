#include <tenon/json.h>

#include <map>

#include <nlohmann/json.hpp>

#include "frontend/graph/validate.h"
#include "frontend/json/constant_json.h"
#include "frontend/json/enum_names.h"
#include "frontend/json/records.h"
#include "frontend/ops/op_rules.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

/// Reading a field needs no more than a visitor that takes any type.
struct AnyField {
    template <typename Field>
    void operator()(const char*, Field&) const {}
};

template <typename Struct>
concept HasFields = requires(Struct& value) {
    Struct::fields(value, AnyField());
};

Status read(const Place& place, Place& value) {
    value = place;
    return {};
}

Status read(const Place& place, Reference& value) {
    if (place.json->is_string()) return tenon::read(place, value.name);
    return place.json->is_number_integer() ? tenon::read(place, value.place) : place.refuse("a name or a place");
}

Status read(const Place& place, std::array<double, 3>& value) {
    std::vector<double> numbers;
    TENON_TRY(tenon::read(place, numbers));
    if (numbers.size() > value.size()) return place.refuse("at most " + std::to_string(value.size()) + " numbers");
    std::copy(numbers.begin(), numbers.end(), value.begin());
    return {};
}

template <typename Enum>
requires std::is_enum_v<Enum> Status read(const Place& place, Enum& value) {
    size_t index = 0;
    TENON_TRY(read_name(place, kEnumNames<Enum>.data(), kEnumNames<Enum>.size(), index));
    value = static_cast<Enum>(index);
    return {};
}

template <HasFields Struct>
Status read(const Place& place, Struct& value);

template <typename Element>
Status read(const Place& place, std::vector<Element>& values) {
    std::vector<Place> elements;
    TENON_TRY(read_array(place, elements));
    for (const Place& element : elements) TENON_TRY(read(element, values.emplace_back()));
    return {};
}

template <typename Field>
Status read(const Place& place, std::optional<Field>& value) {
    return read(place, value.emplace());
}

/// The fields that are there; the others keep what they have.
template <HasFields Struct>
Status read(const Place& place, Struct& value) {
    std::vector<std::string_view> names;
    Struct::fields(value, [&](const char* name, auto&) { names.push_back(name); });
    std::map<std::string_view, Place> members;
    TENON_TRY(read_object(place, names, members));
    Status status;
    Struct::fields(value, [&](const char* name, auto& field) {
        const auto member = members.find(name);
        if (status.is_ok() && member != members.end()) status = read(member->second, field);
    });
    return status;
}

template <size_t... Index>
bool make_op(std::string_view name, Op& op, std::index_sequence<Index...>) {
    return ((op_name(Index) == name && (op.emplace<Index>(), true)) || ...);
}

/// The operation of this name with its default attributes; a pointwise function brings those of its row.
bool make_op(std::string_view name, Op& op) {
    if (make_op(name, op, std::make_index_sequence<std::variant_size_v<Op>>())) return true;
    const PointwiseInfo* row = find_pointwise(name);
    if (row != nullptr) op = Pointwise{row->kind, initial_parameters(row->kind)};
    return row != nullptr;
}

/// Reads the kind first: the parameters left out are those of its row.
Status read_attributes(const Place& place, Pointwise& op) {
    const auto kind = place.json->is_object() ? place.json->find("kind") : place.json->end();
    if (kind != place.json->end()) TENON_TRY(read(Place{&*kind, place.path + "/kind"}, op.kind));
    op.parameters = initial_parameters(op.kind);
    return read(place, op);
}

template <typename Struct>
Status read_attributes(const Place& place, Struct& op) {
    return read(place, op);
}

/// Turns the records of a document into a graph.
class GraphReader {
  public:
    Result<Graph> read_graph(const Json& document) {
        GraphRecord record;
        TENON_TRY(read(Place{&document, {}}, record));
        if (record.version != GraphRecord::kVersion)
            return bad("/tenon_graph",
                       "is " + std::to_string(record.version) + ", needs " + std::to_string(GraphRecord::kVersion));
        if (record.mistake) return Status(ErrorCode::InvalidGraph, "/mistake: " + *record.mistake);
        data().numerics = record.numerics;
        listed_ = record.tensors.size();
        for (size_t i = 0; i < record.tensors.size(); ++i)
            TENON_TRY(prefixed("/tensors/" + std::to_string(i), add_tensor(record.tensors[i])));
        for (size_t i = 0; i < record.nodes.size(); ++i)
            TENON_TRY(prefixed("/nodes/" + std::to_string(i), add_node(record.nodes[i])));
        for (size_t i = 0; i < record.outputs.size(); ++i)
            TENON_TRY(prefixed("/outputs/" + std::to_string(i), add_output(record.outputs[i])));
        TENON_TRY(prefixed("/", graph_.validate()));
        return std::move(graph_);
    }

  private:
    GraphData& data() { return graph_.data(); }

    static Status bad(const std::string& path, const std::string& text) {
        return Status(ErrorCode::BadFile, path + ": " + text);
    }
    static Status wrong(std::string text) { return Status(ErrorCode::InvalidGraph, std::move(text)); }
    /// A failure that does not say its place yet gets `path` in front.
    static Status prefixed(const std::string& path, const Status& status) {
        if (status.is_ok() || status.message().starts_with("/")) return status;
        return Status(status.code(), path + ": " + status.message());
    }

    Status add_tensor(const TensorRecord& record) {
        Value value{record.name, record.kind, record.type};
        if (!record.dims) return wrong("tensor '" + record.name + "' has no dims");
        value.dims = *record.dims;
        TENON_TRY(check_extents(value));
        if (record.layout && record.strides) return wrong("tensor '" + record.name + "' has a layout and strides");
        value.strides =
            record.strides ? *record.strides : packed_strides(value.dims, record.layout.value_or(Layout::NCHW));
        TENON_TRY(check_strides(value));
        TENON_TRY(add_data(record, value));
        append(std::move(value));
        return {};
    }

    Status add_data(const TensorRecord& record, Value& value) {
        const int given = (record.values ? 1 : 0) + (record.base64 ? 1 : 0);
        if (given != (value.kind == ValueKind::Constant ? 1 : 0))
            return wrong("tensor '" + record.name + "' has " + std::to_string(given) + " of values and base64, " +
                         std::string(kEnumNames<ValueKind>[static_cast<size_t>(value.kind)]) + " needs " +
                         (value.kind == ValueKind::Constant ? "1" : "0"));
        if (given == 0) return {};
        const int64_t bytes = span_of(value.dims, value.strides) * bytes_of(value.type);
        TENON_ASSIGN(Bytes data,
                     record.base64 ? bytes_of_base64(*record.base64, bytes) : bytes_of_values(*record.values, value));
        value.data = std::make_shared<const Bytes>(std::move(data));
        return {};
    }

    ValueId append(Value value) {
        const ValueId id = static_cast<ValueId>(data().values.size());
        const auto [entry, is_new] = by_name_.try_emplace(value.name, id);
        if (!is_new) entry->second = kAmbiguous;
        data().values.push_back(std::move(value));
        return id;
    }

    Status find(const Reference& reference, ValueId& id) const {
        if (reference.place >= 0 || reference.name.empty()) {
            id = static_cast<ValueId>(reference.place);
            if (reference.place >= 0 && reference.place < static_cast<int64_t>(listed_)) return {};
            return wrong("there is no tensor " + std::to_string(reference.place) + ", tensors are " +
                         std::to_string(listed_));
        }
        const auto found = by_name_.find(reference.name);
        if (found == by_name_.end()) return wrong("there is no tensor '" + reference.name + "' before this place");
        id = found->second;
        if (id != kAmbiguous) return {};
        return wrong("two tensors are called '" + reference.name + "'; refer to one by its place");
    }

    Status add_node(const NodeRecord& record) {
        Node node;
        if (!make_op(record.op, node.op)) return wrong("there is no operation '" + record.op + "'");
        node.name = record.name.value_or(std::string(name_of(node.op)) + "_" + std::to_string(data().nodes.size()));
        node.fusion = record.fusion.value_or(Fusion::Allowed);
        if (record.attributes)
            TENON_TRY(std::visit([&](auto& op) { return read_attributes(*record.attributes, op); }, node.op));
        for (const Reference& reference : record.inputs) TENON_TRY(find(reference, node.inputs.emplace_back()));
        TENON_TRY(add_results(record, node));
        data().nodes.push_back(std::move(node));
        return check_node(data(), data().nodes.back());
    }

    /// Links the results that the document lists and infers those it only names, or does not name.
    Status add_results(const NodeRecord& record, Node& node) {
        std::vector<const Value*> inputs;
        for (const ValueId id : node.inputs) inputs.push_back(&data().value(id));
        Result<std::vector<Value>> results = infer(node.op, inputs);
        if (!results.is_ok()) return about_node(node, results.status());
        std::vector<Reference> names = record.outputs.value_or(std::vector<Reference>());
        for (size_t i = names.size(); !record.outputs && i < results->size(); ++i)
            names.push_back({i == 0 ? node.name : node.name + ":" + std::to_string(i), -1});
        if (names.size() != results->size())
            return about_node(node, wrong("has " + std::to_string(names.size()) + " results, needs " +
                                          std::to_string(results->size())));
        for (size_t i = 0; i < names.size(); ++i) {
            const bool is_new = !record.outputs || (names[i].place < 0 && !by_name_.contains(names[i].name));
            ValueId id = kNone;
            if (is_new) {
                TENON_TRY(check_extents((*results)[i]));
                (*results)[i].name = names[i].name;
                id = append(std::move((*results)[i]));
            } else {
                TENON_TRY(find(names[i], id));
            }
            data().values[static_cast<size_t>(id)].producer = static_cast<NodeId>(data().nodes.size());
            node.outputs.push_back(id);
        }
        return {};
    }

    Status add_output(const Reference& reference) {
        ValueId id = kNone;
        TENON_TRY(find(reference, id));
        if (data().is_output(id)) return wrong("output '" + data().value(id).name + "' is marked twice");
        data().outputs.push_back(id);
        return {};
    }

    static constexpr ValueId kAmbiguous = -2;

    Graph graph_;
    size_t listed_ = 0;  ///< Tensors of the list; inferred ones stand behind them.
    std::map<std::string, ValueId> by_name_;
};

}  // namespace

Result<Op> op_from_json(std::string_view name, std::string_view attributes) {
    Op op;
    if (!make_op(name, op))
        return Status(ErrorCode::InvalidGraph, "there is no operation '" + std::string(name) + "'");
    TENON_ASSIGN(const Json document, parse_json(attributes));
    const Place root{&document, {}};
    TENON_TRY(std::visit([&](auto& kind) { return read_attributes(root, kind); }, op));
    return op;
}

Result<Graph> graph_from_json(std::string_view text) {
    TENON_ASSIGN(const Json document, parse_json(text));
    return GraphReader().read_graph(document);
}

}  // namespace tenon
