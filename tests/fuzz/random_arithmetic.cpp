// The operations of random graphs that compute.

#include <algorithm>
#include <cmath>

#include "frontend/graph/graph_data.h"
#include "tests/fuzz/random_steps.h"

namespace tenon::testing {
namespace {

using Kinds = std::vector<PointwiseKind>;

/// Sums up to this are whole in float whatever the order.
constexpr double kMostWhole = 16384.0;

/// Functions that give whole numbers for whole numbers, of floats and integers alike.
const Kinds kWholeUnary{PointwiseKind::Negate, PointwiseKind::Abs,  PointwiseKind::Sign,    PointwiseKind::Square,
                        PointwiseKind::Relu,   PointwiseKind::Clip, PointwiseKind::Identity};
const Kinds kWholeFloatUnary{PointwiseKind::Ceil,      PointwiseKind::Floor, PointwiseKind::Round,
                             PointwiseKind::Truncate,  PointwiseKind::IsNan, PointwiseKind::IsInf,
                             PointwiseKind::Threshold, PointwiseKind::Relu,  PointwiseKind::NanToNum};
const Kinds kWholeBinary{PointwiseKind::Add,      PointwiseKind::Add,       PointwiseKind::Subtract,
                         PointwiseKind::Maximum,  PointwiseKind::Minimum,   PointwiseKind::Multiply,
                         PointwiseKind::Greater,  PointwiseKind::LessEqual, PointwiseKind::Equal,
                         PointwiseKind::NotEqual, PointwiseKind::AddSquare, PointwiseKind::SquaredDifference};
const Kinds kIntegerBinary{PointwiseKind::BitwiseAnd, PointwiseKind::BitwiseOr, PointwiseKind::BitwiseXor,
                           PointwiseKind::Divide, PointwiseKind::Modulo};
const Kinds kBoolBinary{PointwiseKind::LogicalAnd, PointwiseKind::LogicalOr, PointwiseKind::LogicalXor,
                        PointwiseKind::Equal};
const Kinds kSmoothUnary{
    PointwiseKind::Relu,       PointwiseKind::Relu,       PointwiseKind::Sigmoid,    PointwiseKind::Tanh,
    PointwiseKind::Elu,        PointwiseKind::Celu,       PointwiseKind::Selu,       PointwiseKind::Gelu,
    PointwiseKind::GeluTanh,   PointwiseKind::Softplus,   PointwiseKind::Swish,      PointwiseKind::HardSigmoid,
    PointwiseKind::HardSwish,  PointwiseKind::Mish,       PointwiseKind::LogSigmoid, PointwiseKind::Softsign,
    PointwiseKind::Softshrink, PointwiseKind::Tanhshrink, PointwiseKind::Sin,        PointwiseKind::Cos,
    PointwiseKind::Atan,       PointwiseKind::Asinh,      PointwiseKind::Erf,        PointwiseKind::Abs,
    PointwiseKind::Negate,     PointwiseKind::Square,     PointwiseKind::Exp,        PointwiseKind::Clip};
const Kinds kSmoothBinary{PointwiseKind::Add,      PointwiseKind::Add,      PointwiseKind::Subtract,
                          PointwiseKind::Multiply, PointwiseKind::Multiply, PointwiseKind::Maximum,
                          PointwiseKind::Minimum,  PointwiseKind::Divide,   PointwiseKind::SquaredDifference};

std::array<double, 3> parameters_of(PointwiseKind kind) {
    std::array<double, 3> parameters{};
    for (size_t i = 0; i < 3; ++i) parameters[i] = info(kind).parameters[i].initial;
    if (kind == PointwiseKind::Clip) parameters = {-1.0, 2.0, 0.0};
    return parameters;
}

bool squares(PointwiseKind kind) {
    return kind == PointwiseKind::Square || kind == PointwiseKind::Multiply || kind == PointwiseKind::AddSquare ||
           kind == PointwiseKind::SquaredDifference;
}

}  // namespace

void RandomSteps::unary() {
    Known x = known();
    const DataType type = type_of(x);
    if (type == DataType::Bool) return add_pointwise(PointwiseKind::LogicalNot, {}, {x}, 1.0);
    if (numbers_ == NumberKind::Real) {
        const PointwiseKind kind = dice_.pick(kSmoothUnary);
        x = floating(x);
        if (kind == PointwiseKind::Exp) x = {graph_.clip(x.tensor, -3.0, 2.0), 3.0};
        if (kind == PointwiseKind::Square) x = kept_small(x, 8.0);
        return add_pointwise(kind, parameters_of(kind), {x}, squares(kind) ? x.bound * x.bound : x.bound + 8.0);
    }
    PointwiseKind kind = dice_.pick(is_floating(type) && dice_.chance(40) ? kWholeFloatUnary : kWholeUnary);
    if (is_integer(type) && dice_.chance(10)) kind = PointwiseKind::BitwiseNot;
    if (squares(kind)) x = kept_small(x, 64.0);
    add_pointwise(kind, parameters_of(kind), {x}, squares(kind) ? x.bound * x.bound : x.bound + 1.0);
}

void RandomSteps::binary() {
    Known x = known();
    if (numbers_ == NumberKind::Real) x = floating(x);
    const DataType type = type_of(x);
    const bool real = numbers_ == NumberKind::Real;
    const PointwiseKind kind = dice_.pick(type == DataType::Bool                 ? kBoolBinary
                                          : real                                 ? kSmoothBinary
                                          : is_integer(type) && dice_.chance(40) ? kIntegerBinary
                                                                                 : kWholeBinary);
    const DataType other = is_floating(type) && dice_.chance(30) ? DataType::F32 : type;
    const int64_t way = dice_.below(10);
    Known y;
    if (way < 3) {
        y = known();  // often of another shape or type: then the throw is lost
        if (real) y = floating(y);
    } else if (way == 3 && !is_floating(other)) {
        y = {graph_.scalar(type == DataType::Bool ? 1.0 : 2.0, other), 2.0};
    } else if (way == 3) {
        y = dice_.chance(50) ? Known{graph_.scalar(1.5, DataType::F32), 2.0}
                             : Known{graph_.host_scalar("h" + std::to_string(names_++), DataType::F32), 3.0};
        if (!real) y = {graph_.scalar(2.0, DataType::F32), 2.0};
    } else if (way == 4 && dims_of(x).size() < 4) {
        Dims wider = dims_of(x);
        wider.insert(wider.begin(), dice_.between(1, 3));
        y = fresh(wider, other);
    } else {
        y = fresh(broadcastable(dims_of(x)), other);
    }
    if (squares(kind)) {
        x = kept_small(x, 100.0);
        y = kept_small(y, 100.0);
    }
    if (numbers_ == NumberKind::Integers && !squares(kind)) {
        x = kept_small(x, kMostWhole / 2);
        y = kept_small(y, kMostWhole / 2);
    }
    if (kind == PointwiseKind::Divide && real) y = {graph_.clip(y.tensor, 0.5, 4.0), 4.0};
    const bool swapped = kind != PointwiseKind::Divide && dice_.chance(40);
    const double bound = squares(kind) ? (x.bound + y.bound) * (x.bound + y.bound) : 2.0 * x.bound + y.bound;
    add_pointwise(kind, parameters_of(kind), swapped ? std::vector<Known>{y, x} : std::vector<Known>{x, y}, bound);
}

void RandomSteps::select() {
    const Known x = known();
    const Known mask = fresh(broadcastable(dims_of(x)), DataType::Bool);
    const Known y = fresh(broadcastable(dims_of(x)), type_of(x));
    add_pointwise(PointwiseKind::Select, {},
                  dice_.chance(50) ? std::vector<Known>{mask, x, y} : std::vector<Known>{mask, y, x},
                  std::max(x.bound, y.bound));
}

void RandomSteps::contraction(bool transposed) {
    Known x = of_rank(3, 5);
    DataType type = type_of(x);
    if (type != DataType::I8 && type != DataType::U8) x = floating(x);
    type = is_floating(type_of(x)) ? type_of(x) : DataType::I8;
    const Dims dims = dims_of(x);
    int64_t groups = dice_.chance(30) && dims[1] % 2 == 0 ? 2 : dice_.chance(15) ? dims[1] : 1;
    const int64_t filters = groups * dice_.between(1, groups > 2 ? 2 : 5);
    Dims window, stride, dilation, before, after, extra;
    const bool pointwise = dice_.chance(25);
    for (size_t axis = 2; axis < dims.size(); ++axis) {
        window.push_back(pointwise ? 1 : dice_.between(1, 3));
        stride.push_back(dice_.chance(70) ? 1 : 2);
        dilation.push_back(dice_.chance(80) ? 1 : 2);
        before.push_back(pointwise ? 0 : dice_.between(0, transposed ? 1 : 2));
        after.push_back(pointwise ? 0 : dice_.between(0, transposed ? 1 : 2));
        extra.push_back(dice_.below(stride.back()));
    }
    Dims pad = before;
    pad.insert(pad.end(), after.begin(), after.end());
    Dims filter = transposed ? Dims{dims[1], filters / groups} : Dims{filters, dims[1] / groups};
    filter.insert(filter.end(), window.begin(), window.end());
    x = kept_small(x, 8.0);
    const Known w = fresh(filter, type);
    const double bound = static_cast<double>(element_count(filter)) * x.bound * w.bound;
    if (transposed) return add(ConvTranspose{stride, dilation, pad, extra, groups}, {x, w}, bound);
    add(Conv{stride, dilation, pad, groups}, {x, w}, bound);
}

void RandomSteps::matmul() {
    Known a = of_rank(2, 4);
    DataType type = type_of(a);
    if (type != DataType::I8) a = floating(a);
    type = type_of(a);
    a = kept_small(a, 8.0);
    Dims dims = dims_of(a);
    const int64_t depth = dims.back();
    dims[dims.size() - 2] = depth;
    dims.back() = dice_.between(1, 8);
    while (dims.size() > 2 && dice_.chance(50)) dims.erase(dims.begin());
    for (size_t axis = 0; axis + 2 < dims.size(); ++axis) dims[axis] = dice_.chance(50) ? 1 : dims[axis];
    Known b = fresh(dims, type);
    if (dice_.chance(30)) {
        Dims turned = dims;
        std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
        Dims permutation;
        for (size_t i = 0; i < dims.size(); ++i) permutation.push_back(static_cast<int64_t>(i));
        std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
        b = {graph_.transpose(fresh(turned, type).tensor, permutation), 3.0};
    }
    add(Matmul{}, {a, b}, static_cast<double>(depth) * a.bound * b.bound);
}

void RandomSteps::norm() {
    Known x = kept_small(floating(of_rank(2, 5)), 50.0);
    const Dims dims = dims_of(x);
    Norm norm;
    norm.kind = dice_.pick(std::vector<NormKind>{NormKind::Layer, NormKind::Layer, NormKind::Rms, NormKind::Rms,
                                                 NormKind::Instance, NormKind::Group});
    norm.axis = dice_.chance(70) ? -1 : dice_.between(1, static_cast<int64_t>(dims.size()) - 1);
    norm.epsilon = 0.25;
    norm.groups = norm.kind == NormKind::Group && dims[1] % 2 == 0 ? 2 : 1;
    norm.save_statistics = dice_.chance(15);
    const bool channels = norm.kind == NormKind::Instance || norm.kind == NormKind::Group;
    if (channels && dims.size() < 3) return;
    const size_t axis = static_cast<size_t>(norm.axis < 0 ? static_cast<int64_t>(dims.size()) - 1 : norm.axis);
    const Dims vector = channels ? Dims{dims[1]} : Dims(dims.begin() + static_cast<int64_t>(axis), dims.end());
    std::vector<Known> inputs{x};
    const DataType type = dice_.chance(50) ? type_of(x) : DataType::F32;
    if (dice_.chance(70)) inputs.push_back(fresh(vector, type));
    if (inputs.size() > 1 && dice_.chance(60)) inputs.push_back(fresh(vector, type));
    add(norm, inputs, 20.0);
}

void RandomSteps::batch_norm() {
    const Known x = kept_small(floating(of_rank(2, 5)), 50.0);
    const Dims vector{dims_of(x)[1]};
    const Known scale = fresh(vector, DataType::F32);
    const Known bias = fresh(vector, DataType::F32);
    const Known mean = fresh(vector, DataType::F32);
    const Known variance = fresh(vector, DataType::F32, "_positive");
    std::vector<Known> inputs{x, scale, bias, mean, variance};
    const bool training = dice_.chance(35);
    if (training && dice_.chance(40))
        inputs.push_back({graph_.host_scalar("h" + std::to_string(names_++) + "_positive", DataType::F32), 3.0});
    add(BatchNorm{.epsilon = 0.25, .momentum = 0.3, .training = training}, inputs, 30.0);
}

void RandomSteps::softmax() {
    const Known x = kept_small(floating(of_rank(1, 5)), 20.0);
    add(Softmax{dice_.between(-1, static_cast<int64_t>(dims_of(x).size()) - 1), dice_.chance(30)}, {x}, 40.0);
}

void RandomSteps::reduce() {
    const std::vector<ReduceKind> whole{ReduceKind::Sum,   ReduceKind::Max,    ReduceKind::Min,   ReduceKind::Amax,
                                        ReduceKind::Norm1, ReduceKind::Argmax, ReduceKind::Argmin};
    const std::vector<ReduceKind> real{ReduceKind::Sum, ReduceKind::Mean,  ReduceKind::Mean, ReduceKind::Max,
                                       ReduceKind::Min, ReduceKind::Norm1, ReduceKind::Norm2};
    Known x = of_rank(1, 5);
    if (type_of(x) == DataType::Bool) return;
    if (numbers_ == NumberKind::Real) x = floating(x);
    x = kept_small(x, 30.0);
    Reduce reduce;
    reduce.kind = dice_.pick(numbers_ == NumberKind::Real ? real : whole);
    reduce.keep_dims = dice_.chance(50);
    const Dims dims = dims_of(x);
    const bool position = reduce.kind == ReduceKind::Argmax || reduce.kind == ReduceKind::Argmin;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dice_.chance(45)) reduce.axes.push_back(static_cast<int64_t>(axis));
    }
    if (position || reduce.axes.empty()) reduce.axes = {dice_.between(-1, static_cast<int64_t>(dims.size()) - 1)};
    add(reduce, {x}, position ? 8.0 : static_cast<double>(element_count(dims)) * x.bound);
}

void RandomSteps::pool() {
    Known x = of_rank(3, 5);
    if (type_of(x) == DataType::Bool) return;
    Pool pool;
    pool.kind = numbers_ == NumberKind::Real && dice_.chance(50) ? PoolKind::Average : PoolKind::Max;
    if (pool.kind == PoolKind::Average) x = floating(x);
    const Dims dims = dims_of(x);
    if (dice_.chance(80)) {
        Dims after;
        for (size_t axis = 2; axis < dims.size(); ++axis) {
            pool.window.push_back(dice_.between(1, 3));
            pool.stride.push_back(dice_.between(1, 2));
            pool.pad.push_back(dice_.between(0, pool.window.back() - 1));
            after.push_back(dice_.between(0, pool.window.back() - 1));
        }
        pool.pad.insert(pool.pad.end(), after.begin(), after.end());
        pool.ceil_mode = dice_.chance(30);
        pool.count_padding = dice_.chance(40);
    }
    pool.with_indices = pool.kind == PoolKind::Max && numbers_ != NumberKind::Real && dice_.chance(25);
    add(pool, {x}, x.bound);
}

void RandomSteps::adaptive_pool() {
    const Known x = floating(of_rank(3, 5));
    AdaptivePool pool{dice_.chance(70) ? PoolKind::Average : PoolKind::Max, {}};
    for (size_t axis = 2; axis < dims_of(x).size(); ++axis) pool.output.push_back(dice_.between(1, 5));
    add(pool, {x}, x.bound);
}

void RandomSteps::resize() {
    Known x = of_rank(3, 5);
    Resize resize;
    if (numbers_ == NumberKind::Real && dice_.chance(50)) resize.mode = ResizeMode::Linear;
    if (resize.mode == ResizeMode::Linear) x = floating(x);
    resize.coordinates = dice_.pick(std::vector<ResizeCoordinates>{
        ResizeCoordinates::HalfPixel, ResizeCoordinates::AlignCorners, ResizeCoordinates::Asymmetric});
    resize.rounding = dice_.pick(std::vector<ResizeRounding>{ResizeRounding::PreferFloor, ResizeRounding::PreferCeil,
                                                             ResizeRounding::Floor, ResizeRounding::Ceil});
    for (size_t axis = 2; axis < dims_of(x).size(); ++axis)
        resize.output.push_back(dice_.chance(50) ? 2 * dims_of(x)[axis] : dice_.between(1, 7));
    add(resize, {x}, x.bound);
}

}  // namespace tenon::testing
