#pragma once

#include <string>
#include <vector>

#include "codegen/region/domain.h"
#include "codegen/region/region.h"

namespace tenon::codegen {

/// A place where a body touches memory (or asks for a coordinate): what a Domain must be able to express.
struct Access {
    int term = -1;     ///< Load or Index term; -1 for a store.
    int operand = -1;  ///< -1 for an Index term.
    Dims strides;
    DataType type = DataType::F32;
    int64_t offset = 0;
};

/// Loads and coordinates of the body in term order, then the stores.
std::vector<Access> accesses(const Region& region, const Body& body, const std::vector<Store>& stores);
std::vector<Dims> strides_of(const std::vector<Access>& accesses);
/// Lanes all accesses allow (see widest_lanes), 16 bytes of the widest of them that moves along most axes: what is broadcast
/// comes from the cache and may take two accesses. Coordinates do not count.
int lanes_for(const Domain& domain, const std::vector<Access>& accesses);

/// How a body is written down.
struct BodyStyle {
    std::string anchor = "value";            ///< Variable that holds the anchor's result.
    std::string index = "index";             ///< Coordinates are called kIndex, kIndex2…
    std::string at = "at";                   ///< Variable that holds the place.
    std::string column_word = "per_column";  ///< "per_channel" where columns are channels.
    bool relaxed = false;                    ///< Leave out rounding to declared types inside the body.
    bool returns = false;                    ///< End with `return <last term>;` (bodies on anchor inputs).
};

/// Source of a body in the vocabulary of <tenon/epilogue.cuh>.
struct BodyText {
    std::string declarations;  ///< File-scope constants of operands that no broadcast word describes, one per line.
    std::string statements;    ///< One per line, no indentation.
    std::string formula;       ///< For the header comment, with the anchor as `anchor_formula`.
};

/// `list` must come from `accesses` for the same body and stores, and `domain` from its strides.
BodyText write_body(const Region& region, const Body& body, const std::vector<Store>& stores,
                    const std::vector<Access>& list, const Domain& domain, const BodyStyle& style,
                    const std::string& anchor_formula);

}  // namespace tenon::codegen
