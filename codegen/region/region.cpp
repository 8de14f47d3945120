#include "codegen/region/region.h"

namespace tenon::codegen {

const Operand* Region::plain_input(size_t i) const {
    if (i >= inputs.size() || inputs[i].terms.size() != 1) return nullptr;
    const Term& only = inputs[i].terms.front();
    return only.kind == Term::Kind::Load ? &operands[static_cast<size_t>(only.operand)] : nullptr;
}

}  // namespace tenon::codegen
