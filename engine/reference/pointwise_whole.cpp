#include <algorithm>
#include <type_traits>

#include "engine/reference/pointwise.h"

namespace tenon::engine {
namespace {

using Kind = PointwiseKind;

// Sums and products go through unsigned numbers, where overflow is defined: modulo 2^64.
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t negated(int64_t a) { return static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a)); }
int64_t times(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
/// Truncated; x / 0 is 0. The lowest number / -1 wraps to itself.
int64_t quotient(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? negated(a) : a / b; }
int64_t remainder(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
int64_t left(int64_t a, int64_t places, int width) {
    return places < 0 || places >= width ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << places);
}
int64_t right(int64_t a, int64_t places, int width) { return a >> (places < 0 || places >= width ? 63 : places); }

/// A kind and its function, written with the arguments it needs: a, then b, c, then the parameters.
struct Row {
    template <typename F>
    constexpr Row(Kind k, F)
        : kind(k), function([](int64_t a, int64_t b, int64_t c, const WholeParameters& p) -> int64_t {
              if constexpr (std::is_invocable_v<F, int64_t>)
                  return F{}(a);
              else if constexpr (std::is_invocable_v<F, int64_t, const WholeParameters&>)
                  return F{}(a, p);
              else if constexpr (std::is_invocable_v<F, int64_t, int64_t>)
                  return F{}(a, b);
              else if constexpr (std::is_invocable_v<F, int64_t, int64_t, const WholeParameters&>)
                  return F{}(a, b, p);
              else
                  return F{}(a, b, c);
          }) {}

    Kind kind;
    WholeFunction function;
};

constexpr Row kRows[] = {
    {Kind::Identity, [](int64_t a) { return a; }},
    {Kind::Negate, [](int64_t a) { return negated(a); }},
    {Kind::Abs, [](int64_t a) { return a < 0 ? negated(a) : a; }},
    {Kind::Sign, [](int64_t a) { return (a > 0) - (a < 0); }},
    {Kind::Add, [](int64_t a, int64_t b) { return plus(a, b); }},
    {Kind::AddSquare, [](int64_t a, int64_t b) { return plus(a, times(b, b)); }},
    {Kind::Subtract, [](int64_t a, int64_t b) { return plus(a, negated(b)); }},
    {Kind::Multiply, [](int64_t a, int64_t b) { return times(a, b); }},
    {Kind::Divide, [](int64_t a, int64_t b) { return quotient(a, b); }},
    {Kind::Maximum, [](int64_t a, int64_t b) { return std::max(a, b); }},
    {Kind::Minimum, [](int64_t a, int64_t b) { return std::min(a, b); }},
    {Kind::Modulo, [](int64_t a, int64_t b) { return remainder(a, b); }},
    {Kind::Square, [](int64_t a) { return times(a, a); }},
    {Kind::SquaredDifference, [](int64_t a, int64_t b) { return times(plus(a, negated(b)), plus(a, negated(b))); }},
    {Kind::Relu, [](int64_t a, const WholeParameters& p) { return a < 0 ? times(a, p.of[0]) : a; }},
    {Kind::Clip, [](int64_t a, const WholeParameters& p) { return std::min(std::max(a, p.of[0]), p.of[1]); }},
    {Kind::Equal, [](int64_t a, int64_t b) { return a == b; }},
    {Kind::NotEqual, [](int64_t a, int64_t b) { return a != b; }},
    {Kind::Greater, [](int64_t a, int64_t b) { return a > b; }},
    {Kind::GreaterEqual, [](int64_t a, int64_t b) { return a >= b; }},
    {Kind::Less, [](int64_t a, int64_t b) { return a < b; }},
    {Kind::LessEqual, [](int64_t a, int64_t b) { return a <= b; }},
    {Kind::LogicalAnd, [](int64_t a, int64_t b) { return a != 0 && b != 0; }},
    {Kind::LogicalOr, [](int64_t a, int64_t b) { return a != 0 || b != 0; }},
    {Kind::LogicalXor, [](int64_t a, int64_t b) { return (a != 0) != (b != 0); }},
    {Kind::LogicalNot, [](int64_t a) { return a == 0; }},
    {Kind::Select, [](int64_t a, int64_t b, int64_t c) { return a != 0 ? b : c; }},
    {Kind::BitwiseAnd, [](int64_t a, int64_t b) { return a & b; }},
    {Kind::BitwiseOr, [](int64_t a, int64_t b) { return a | b; }},
    {Kind::BitwiseXor, [](int64_t a, int64_t b) { return a ^ b; }},
    {Kind::BitwiseNot, [](int64_t a) { return ~a; }},
    {Kind::ShiftLeft, [](int64_t a, int64_t b, const WholeParameters& p) { return left(a, b, p.width); }},
    {Kind::ShiftRight, [](int64_t a, int64_t b, const WholeParameters& p) { return right(a, b, p.width); }},
};

constexpr const Row* find(Kind kind) {
    for (const Row& row : kRows) {
        if (row.kind == kind) return &row;
    }
    return nullptr;
}

constexpr bool is_complete() {
    for (const PointwiseInfo& row : kPointwise) {
        if ((row.domain != PointwiseDomain::Floating) != (find(row.kind) != nullptr)) return false;
    }
    return true;
}
static_assert(is_complete(), "every function that takes integers or booleans has one row here, and no other has");

}  // namespace

WholeFunction whole_function(PointwiseKind kind) {
    const Row* row = find(kind);
    return row == nullptr ? nullptr : row->function;
}

}  // namespace tenon::engine
