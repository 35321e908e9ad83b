#include "backends/cpu/rewrite/compare_draws.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::ValueId;

constexpr int64_t mantissa_bits = 24;  // of an f32, with the leading one

class Rewrite {
 public:
  explicit Rewrite(ir::Function& function)
      : function_(function), splats_(function.types.size()), draws_(function.types.size()) {}

  void run(ir::Block& block) {
    std::vector<ir::Op> ops;
    ops.reserve(block.ops.size());
    for (ir::Op& op : block.ops) {
      for (ir::Block& region : op.regions) run(region);
      if (op.results.size() == 1) note(op);
      if (op.code == OpCode::compare) ask_bits(op, ops);
      ops.push_back(std::move(op));
    }
    block.ops = std::move(ops);
  }

 private:
  // (bits >> shift) * factor; as an integer until `is_float`.
  struct Draw {
    ValueId bits = ir::no_value;
    int64_t shift = 0;
    double factor = 1;
    bool is_float = false;
  };

  static size_t at(ValueId value) { return static_cast<size_t>(value); }
  DType dtype(ValueId value) const { return function_.type(value).dtype; }
  // Values that this rewrite makes are none that it asks for.
  std::optional<double> splat(ValueId value) const {
    return at(value) < splats_.size() ? splats_[at(value)] : std::nullopt;
  }

  void note(const ir::Op& op) {
    const ValueId result = op.results[0];
    switch (op.code) {
      case OpCode::constant: {
        const Literal& literal = op.get<ir::ConstantAttributes>().value;
        const bool known = literal.dtype() == DType::f32 || literal.dtype() == DType::u32;
        if (literal.size() == 1 && known) splats_[at(result)] = literal.number_at(0);
        break;
      }
      case OpCode::broadcast_in_dim:
      case OpCode::reshape:
        splats_[at(result)] = splats_[at(op.operands[0])];
        break;
      case OpCode::shift_right_logical:
        note_shift(op);
        break;
      case OpCode::convert:
        note_convert(op);
        break;
      case OpCode::multiply:
      case OpCode::add:
        note_scaled(op);
        break;
      default:
        break;
    }
  }

  void note_shift(const ir::Op& op) {
    const std::optional<double> by = splat(op.operands[1]);
    if (!by || dtype(op.results[0]) != DType::u32) return;
    if (*by < 32 - mantissa_bits || *by > 31) return;
    draws_[at(op.results[0])] = {.bits = op.operands[0], .shift = static_cast<int64_t>(*by)};
  }

  void note_convert(const ir::Op& op) {
    Draw draw = draws_[at(op.operands[0])];
    if (draw.bits == ir::no_value || draw.is_float || dtype(op.results[0]) != DType::f32) return;
    draw.is_float = true;
    draws_[at(op.results[0])] = draw;
  }

  // A draw times a power of two, or plus zero.
  void note_scaled(const ir::Op& op) {
    for (size_t side = 0; side < 2; ++side) {
      const Draw& draw = draws_[at(op.operands[side])];
      const std::optional<double> other = splat(op.operands[1 - side]);
      if (!draw.is_float || !other) continue;
      if (op.code == OpCode::add && *other == 0) draws_[at(op.results[0])] = draw;
      if (op.code == OpCode::multiply && keeps_all_bits(draw.factor, *other)) {
        draws_[at(op.results[0])] = draw;
        draws_[at(op.results[0])].factor *= *other;
      }
      return;
    }
  }

  // Powers of two by which no draw leaves the normal numbers.
  static bool keeps_all_bits(double factor, double by) {
    int exponent = 0;
    return by > 0 && std::frexp(by, &exponent) == 0.5 && std::abs(std::log2(factor * by)) <= 64;
  }

  void ask_bits(ir::Op& op, std::vector<ir::Op>& ops) {
    auto& attributes = op.get<ir::CompareAttributes>();
    const Draw draw = draws_[at(op.operands[0])];
    const std::optional<double> limit = splat(op.operands[1]);
    const bool known =
        attributes.direction == ir::Direction::ge || attributes.direction == ir::Direction::lt;
    if (!draw.is_float || !limit || !known) return;
    // The least integer that reaches the limit: exact, as the factor is a power of two.
    const double least = std::ceil(*limit / draw.factor);
    const double most = std::ldexp(1, static_cast<int>(32 - draw.shift)) - 1;
    if (!(least >= 1 && least <= most)) return;
    const uint32_t bits = static_cast<uint32_t>(least) << draw.shift;
    const ValueId scalar = function_.new_value({DType::u32, {}});
    const ValueId wanted = function_.new_value(function_.type(draw.bits));
    ops.push_back(made(op, OpCode::constant, {}, scalar));
    ops.back().attributes = ir::ConstantAttributes{Literal::scalar<uint32_t>(bits)};
    ops.push_back(made(op, OpCode::broadcast_in_dim, {scalar}, wanted));
    ops.back().attributes = ir::BroadcastAttributes{};
    op.operands = {draw.bits, wanted};
    attributes.type = ir::CompareType::automatic;
  }

  static ir::Op made(const ir::Op& from, OpCode code, std::vector<ValueId> operands,
                     ValueId result) {
    ir::Op op;
    op.code = code;
    op.operands = std::move(operands);
    op.results = {result};
    op.location = from.location;
    op.layer_path = from.layer_path;
    return op;
  }

  ir::Function& function_;
  std::vector<std::optional<double>> splats_;  // by value: what all elements are
  std::vector<Draw> draws_;                    // by value
};

}  // namespace

void compare_draws(ir::Module& module) {
  for (ir::Function& function : module.functions) Rewrite(function).run(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
