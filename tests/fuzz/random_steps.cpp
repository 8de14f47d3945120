#include "tests/fuzz/random_steps.h"

#include <algorithm>
#include <numeric>

#include "frontend/graph/graph_data.h"
#include "tests/support/host_tensor.h"

namespace tenon::testing {
namespace {

const std::vector<DataType> kFloats{DataType::F16, DataType::BF16, DataType::F32, DataType::F32, DataType::F64};
const std::vector<DataType> kAllTypes{DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::F32,
                                      DataType::I8,  DataType::U8,   DataType::I32, DataType::I64, DataType::Bool};

}  // namespace

RandomSteps::RandomSteps(Dice& dice, NumberKind numbers) : dice_(dice), numbers_(numbers) {
    const size_t rank = static_cast<size_t>(dice.between(dice.chance(10) ? 0 : 2, 4));
    known_.push_back(fresh(random_dims(rank), random_type()));
}

bool RandomSteps::step() {
    using Step = void (*)(RandomSteps&);
    static const std::vector<Step> kMovement{
        [](RandomSteps& s) { s.unary(); },   [](RandomSteps& s) { s.unary(); },
        [](RandomSteps& s) { s.unary(); },   [](RandomSteps& s) { s.binary(); },
        [](RandomSteps& s) { s.binary(); },  [](RandomSteps& s) { s.binary(); },
        [](RandomSteps& s) { s.binary(); },  [](RandomSteps& s) { s.cast(); },
        [](RandomSteps& s) { s.select(); },  [](RandomSteps& s) { s.reduce(); },
        [](RandomSteps& s) { s.pool(); },    [](RandomSteps& s) { s.resize(); },
        [](RandomSteps& s) { s.reshape(); }, [](RandomSteps& s) { s.transpose(); },
        [](RandomSteps& s) { s.expand(); },  [](RandomSteps& s) { s.slice(); },
        [](RandomSteps& s) { s.concat(); },  [](RandomSteps& s) { s.pad(); },
        [](RandomSteps& s) { s.gather(); },  [](RandomSteps& s) { s.index_along(); },
    };
    static const std::vector<Step> kProducts{
        [](RandomSteps& s) { s.contraction(false); }, [](RandomSteps& s) { s.contraction(false); },
        [](RandomSteps& s) { s.contraction(true); },  [](RandomSteps& s) { s.matmul(); },
        [](RandomSteps& s) { s.matmul(); },
    };
    static const std::vector<Step> kSmooth{
        [](RandomSteps& s) { s.norm(); },
        [](RandomSteps& s) { s.batch_norm(); },
        [](RandomSteps& s) { s.softmax(); },
        [](RandomSteps& s) { s.adaptive_pool(); },
    };
    const Graph before = graph_;
    const std::vector<Known> known_before = known_;
    const int64_t family = dice_.below(100);
    const bool products = numbers_ != NumberKind::Special && family < 30;
    const bool smooth = numbers_ == NumberKind::Real && family >= 80;
    dice_.pick(products ? kProducts : smooth ? kSmooth : kMovement)(*this);
    const GraphData& data = graph_.data();
    bool fits = data.first_mistake.is_ok() && data.nodes.size() > before.data().nodes.size();
    for (const Value& value : data.values) fits = fits && element_count(value.dims) <= 4096;
    if (fits) return true;
    graph_ = before;
    known_ = known_before;
    return false;
}

void RandomSteps::mark_outputs() {
    GraphData& data = graph_.data();
    std::vector<bool> read(data.values.size(), false);
    for (const Node& node : data.nodes) {
        for (const ValueId id : node.inputs) read[static_cast<size_t>(id)] = true;
    }
    for (size_t id = 0; id < data.values.size(); ++id) {
        const bool computed = data.values[id].kind == ValueKind::Computed;
        if (!computed || (read[id] && !dice_.chance(15))) continue;
        const Tensor tensor{static_cast<int32_t>(id)};
        As as{.name = "y" + std::to_string(id)};
        if (dice_.chance(20)) as.strides = random_strides(data.values[id].dims, false);
        graph_.output(tensor, as);
    }
}

RandomSteps::Known RandomSteps::fresh(Dims dims, DataType type, const std::string& suffix) {
    const std::string name = "x" + std::to_string(names_++) + suffix;
    TensorSpec spec{name, dims, type, Layout::NCHW, random_strides(dims, true)};
    const double bound = 3.0;
    if (!dice_.chance(15)) return {graph_.input(spec), bound};
    spec.strides = packed_strides(dims, dims.size() > 2 && dice_.chance(40) ? Layout::NHWC : Layout::NCHW);
    HostTensor values(spec);
    const bool no_sign = type == DataType::U8 || !suffix.empty();
    if (is_floating(type) && numbers_ == NumberKind::Real && suffix.empty()) {
        values.fill_normal(static_cast<uint64_t>(names_), 0.7);
    } else {
        values.fill_small_integers(static_cast<uint64_t>(names_), type == DataType::Bool || no_sign ? 0 : -3,
                                   type == DataType::Bool ? 1 : 3);
    }
    return {graph_.constant(spec, values.bytes().data(), values.bytes().size()), bound};
}

RandomSteps::Known RandomSteps::known() {
    // The newest more often: chains are what fusion is about.
    if (dice_.chance(60)) return known_.back();
    return dice_.pick(known_);
}

RandomSteps::Known RandomSteps::of_rank(size_t least, size_t most) {
    for (int i = 0; i < 6; ++i) {
        const Known x = known();
        const size_t rank = dims_of(x).size();
        if (rank >= least && rank <= most) return x;
    }
    return fresh(random_dims(static_cast<size_t>(
                     dice_.between(static_cast<int64_t>(least), std::min<int64_t>(static_cast<int64_t>(most), 5)))),
                 random_type());
}

RandomSteps::Known RandomSteps::floating(Known x) {
    if (is_floating(type_of(x))) return x;
    return {graph_.cast(x.tensor, dice_.pick(kFloats)), x.bound};
}

/// `x`, clipped if its numbers may be larger than `bound`.
RandomSteps::Known RandomSteps::kept_small(Known x, double bound) {
    if (numbers_ == NumberKind::Special || type_of(x) == DataType::Bool) return x;
    if (numbers_ == NumberKind::Integers && x.bound <= bound) return x;
    if (numbers_ == NumberKind::Real && !is_floating(type_of(x))) return x;
    if (numbers_ == NumberKind::Real && x.bound <= bound) return x;
    return {graph_.clip(x.tensor, -std::min(bound, 3.0), std::min(bound, 3.0)), std::min(bound, 3.0)};
}

Dims RandomSteps::dims_of(const Known& x) const { return graph_.data().value(x.tensor.id).dims; }
DataType RandomSteps::type_of(const Known& x) const { return graph_.data().value(x.tensor.id).type; }

Dims RandomSteps::random_dims(size_t rank) {
    Dims dims;
    for (size_t i = 0; i < rank; ++i) {
        const bool batch = i == 0 && rank > 2;
        dims.push_back(dice_.chance(8) ? 1 : dice_.between(batch ? 1 : 2, batch ? 2 : rank > 4 ? 4 : 8));
    }
    return dims;
}

/// Extents that broadcast against `dims`: some axes 1, some leading ones left out.
Dims RandomSteps::broadcastable(Dims dims) {
    const int64_t way = dice_.below(6);
    if (way == 0 || dims.empty()) return dims;
    if (way == 1) return {};
    if (way == 2 && dims.size() > 2) {
        Dims channels(dims.size() - 1, 1);  // [C, 1, 1]
        channels[0] = dims[1];
        return channels;
    }
    for (int64_t& extent : dims) extent = dice_.chance(45) ? 1 : extent;
    while (!dims.empty() && dice_.chance(25)) dims.erase(dims.begin());
    return dims;
}

Dims RandomSteps::random_strides(const Dims& dims, bool may_broadcast) {
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const int64_t way = dice_.below(10);
    if (way < 4 || dims.size() < 2) return packed_strides(dims, Layout::NCHW);
    if (way < 7) return packed_strides(dims, dims.size() > 2 ? Layout::NHWC : Layout::NCHW);
    if (way == 8) {
        for (size_t i = order.size(); i-- > 1;)
            std::swap(order[i], order[static_cast<size_t>(dice_.below(static_cast<int64_t>(i) + 1))]);
    }
    Dims strides(dims.size());
    int64_t stride = 1;
    const int64_t gap = dice_.between(0, 3);
    for (size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride = stride * dims[order[i]] + (i + 1 == order.size() ? gap : 0);
    }
    if (may_broadcast && way == 9) strides[static_cast<size_t>(dice_.below(static_cast<int64_t>(dims.size())))] = 0;
    return strides;
}

DataType RandomSteps::random_type() {
    return numbers_ == NumberKind::Real || dice_.chance(50) ? dice_.pick(kFloats) : dice_.pick(kAllTypes);
}

As RandomSteps::random_wishes(const Dims& dims, DataType type) {
    As as;
    if (is_floating(type) && dice_.chance(12)) as.type = dice_.pick(kFloats);
    if (dims.size() > 2 && dice_.chance(12)) as.layout = dice_.chance(50) ? Layout::NHWC : Layout::NCHW;
    return as;
}

void RandomSteps::add(Op op, const std::vector<Known>& inputs, double bound, bool wishes) {
    std::vector<Tensor> tensors;
    for (const Known& input : inputs) tensors.push_back(input.tensor);
    const Graph before = graph_;
    const std::vector<Tensor> plain = graph_.apply(op, tensors);
    if (plain.empty() || !graph_.data().first_mistake.is_ok()) return;
    if (wishes) {
        const Value& value = graph_.data().value(plain.front().id);
        const As as = random_wishes(value.dims, value.type);
        graph_ = before;
        graph_.apply(std::move(op), tensors, as);
    }
    for (size_t i = 0; i < plain.size(); ++i) known_.push_back({plain[i], bound});
    if (plain.size() > 1 && dice_.chance(70)) std::swap(known_.back(), known_[known_.size() - plain.size()]);
    if (dice_.chance(4)) graph_.set_fusion(plain.front(), Fusion::Forbidden);
}

void RandomSteps::add_pointwise(PointwiseKind kind, std::array<double, 3> parameters, const std::vector<Known>& inputs,
                                double bound) {
    add(Pointwise{kind, parameters}, inputs, bound);
}

void RandomSteps::cast() {
    const Known x = known();
    const DataType to = numbers_ == NumberKind::Real ? dice_.pick(kFloats) : dice_.pick(kAllTypes);
    add(Cast{to}, {x}, x.bound, false);
}

void RandomSteps::reshape() {
    const Known x = known();
    Dims dims = dims_of(x);
    const int64_t count = element_count(dims);
    if (dims.size() > 1 && dice_.chance(50)) {
        const size_t at = static_cast<size_t>(dice_.below(static_cast<int64_t>(dims.size()) - 1));
        dims[at] *= dims[at + 1];
        dims.erase(dims.begin() + static_cast<int64_t>(at) + 1);
    } else if (dims.size() < 5 && !dims.empty()) {
        const size_t at = static_cast<size_t>(dice_.below(static_cast<int64_t>(dims.size())));
        const int64_t part = dims[at] % 2 == 0 ? 2 : dims[at] % 3 == 0 ? 3 : 1;
        dims[at] /= part;
        dims.insert(dims.begin() + static_cast<int64_t>(at), part);
    } else {
        dims = count % 4 == 0 ? Dims{4, count / 4} : Dims{count};
    }
    add(Reshape{dims}, {x}, x.bound);
}

void RandomSteps::transpose() {
    const Known x = of_rank(2, 5);
    Dims permutation(dims_of(x).size());
    std::iota(permutation.begin(), permutation.end(), int64_t{0});
    for (size_t i = permutation.size(); i-- > 1;)
        std::swap(permutation[i], permutation[static_cast<size_t>(dice_.below(static_cast<int64_t>(i) + 1))]);
    add(Transpose{permutation}, {x}, x.bound);
}

void RandomSteps::expand() {
    Known x = known();
    Dims dims = dims_of(x);
    for (int64_t& extent : dims) extent = extent == 1 ? dice_.between(1, 4) : extent;
    if (dims.size() < 4 && dice_.chance(60)) dims.insert(dims.begin(), dice_.between(1, 3));
    add(Expand{dims}, {x}, x.bound);
}

void RandomSteps::slice() {
    const Known x = of_rank(1, 5);
    Slice slice;
    for (const int64_t extent : dims_of(x)) {
        const int64_t step = dice_.chance(60) ? 1 : dice_.between(1, 2);
        const int64_t most = (extent - 1) / step + 1;
        const int64_t length = dice_.chance(40) ? most : dice_.between(1, most);
        const int64_t room = extent - 1 - (length - 1) * step;
        const int64_t start = dice_.between(0, room);
        const bool backwards = dice_.chance(20);
        slice.start.push_back(backwards ? start + (length - 1) * step : start);
        slice.length.push_back(length);
        slice.step.push_back(backwards ? -step : step);
    }
    add(slice, {x}, x.bound);
}

void RandomSteps::concat() {
    const Known x = of_rank(1, 5);
    const Dims dims = dims_of(x);
    const int64_t axis = dice_.below(static_cast<int64_t>(dims.size()));
    std::vector<Known> inputs{x};
    double bound = x.bound;
    for (const Known& other : known_) {
        if (inputs.size() >= 3 || type_of(other) != type_of(x) || dims_of(other).size() != dims.size()) continue;
        Dims others = dims_of(other);
        others[static_cast<size_t>(axis)] = dims[static_cast<size_t>(axis)];
        if (others != dims || !dice_.chance(70)) continue;
        inputs.push_back(other);
        bound = std::max(bound, other.bound);
    }
    if (inputs.size() < 2 || dice_.chance(30)) {
        Dims others = dims;
        others[static_cast<size_t>(axis)] = dice_.between(1, 3);
        inputs.push_back(fresh(others, type_of(x)));
    }
    if (dice_.chance(50)) std::swap(inputs.front(), inputs.back());
    add(Concat{dice_.chance(30) ? axis - static_cast<int64_t>(dims.size()) : axis}, inputs, std::max(bound, 3.0));
}

void RandomSteps::pad() {
    const Known x = of_rank(1, 5);
    Pad pad;
    pad.mode = dice_.pick(std::vector<PadMode>{PadMode::Constant, PadMode::Constant, PadMode::Reflect, PadMode::Edge});
    pad.value = static_cast<double>(dice_.between(0, 2));
    for (const int64_t extent : dims_of(x)) {
        const int64_t most = std::min<int64_t>(2, pad.mode == PadMode::Reflect ? extent - 1 : 2);
        pad.before.push_back(dice_.chance(50) ? 0 : dice_.between(extent > 2 ? -1 : 0, most));
        pad.after.push_back(dice_.chance(50) ? 0 : dice_.between(extent > 3 ? -1 : 0, most));
    }
    add(pad, {x}, std::max(x.bound, 2.0));
}

void RandomSteps::gather() {
    const Known x = of_rank(1, 4);
    const Known indices =
        fresh(random_dims(static_cast<size_t>(dice_.between(0, 2))), dice_.chance(50) ? DataType::I32 : DataType::I64);
    add(Gather{dice_.below(static_cast<int64_t>(dims_of(x).size()))}, {x, indices}, x.bound);
}

void RandomSteps::index_along() {
    const Known x = of_rank(1, 5);
    const DataType type = numbers_ == NumberKind::Real ? dice_.pick(kFloats) : random_type();
    if (type == DataType::Bool) return;
    add(IndexAlong{dice_.below(static_cast<int64_t>(dims_of(x).size())), type}, {x}, 64.0, false);
}

}  // namespace tenon::testing
