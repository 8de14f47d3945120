#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/graph_data.h"
#include "frontend/json/document.h"

namespace tenon {

// The form of a graph in JSON. As with the structs of ops.h, `fields` lists every field once; reading and writing walk
// that list, and an empty optional stands for an absent field.

/// A tensor by name, or by its place in the list of tensors.
struct Reference {
    std::string name;
    int64_t place = -1;
};

struct TensorRecord {
    std::string name;
    ValueKind kind = ValueKind::Input;
    DataType type = DataType::F32;
    std::optional<Dims> dims;
    std::optional<Layout> layout;
    std::optional<Dims> strides;
    std::optional<Place> values, base64;  ///< See constant_json.h.

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("name", self.name);
        visit("kind", self.kind);
        visit("type", self.type);
        visit("dims", self.dims);
        visit("layout", self.layout);
        visit("strides", self.strides);
        visit("values", self.values);
        visit("base64", self.base64);
    }
};

struct NodeRecord {
    std::string op;
    std::optional<std::string> name;
    std::vector<Reference> inputs;
    std::optional<std::vector<Reference>> outputs;
    std::optional<Fusion> fusion;
    std::optional<Place> attributes;  ///< The fields of the operation's struct.

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("op", self.op);
        visit("name", self.name);
        visit("inputs", self.inputs);
        visit("outputs", self.outputs);
        visit("fusion", self.fusion);
        visit("attributes", self.attributes);
    }
};

struct GraphRecord {
    static constexpr int64_t kVersion = 1;

    int64_t version = 0;
    std::optional<std::string> mistake;
    Numerics numerics;
    std::vector<TensorRecord> tensors;
    std::vector<NodeRecord> nodes;
    std::vector<Reference> outputs;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("tenon_graph", self.version);
        visit("mistake", self.mistake);
        visit("numerics", self.numerics);
        visit("tensors", self.tensors);
        visit("nodes", self.nodes);
        visit("outputs", self.outputs);
    }
};

}  // namespace tenon
