#include "backends/cpu/rewrite/relu_mask.h"

#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace cpu {
namespace {

class Rewrite {
 public:
  explicit Rewrite(const ir::Function& function)
      : zero_(function.types.size()), relu_(function.types.size(), ir::no_value) {}

  void run(ir::Block& block) {
    // What a block computes is not seen outside it.
    const size_t outer = noted_.size();
    for (ir::Op& op : block.ops) {
      note(op);
      for (ir::Block& region : op.regions) run(region);
    }
    for (; noted_.size() > outer; noted_.pop_back()) {
      const auto& [input, before] = noted_.back();
      relu_[at(input)] = before;
    }
  }

 private:
  static size_t at(ir::ValueId value) { return static_cast<size_t>(value); }

  void note(ir::Op& op) {
    switch (op.code) {
      case ir::OpCode::constant: {
        const Literal& literal = op.get<ir::ConstantAttributes>().value;
        zero_[at(op.results[0])] =
            literal.size() == 1 && is_float(literal.dtype()) && literal.number_at(0) == 0.0;
        break;
      }
      case ir::OpCode::broadcast_in_dim:
      case ir::OpCode::reshape:
        zero_[at(op.results[0])] = zero_[at(op.operands[0])];
        break;
      case ir::OpCode::maximum:
        if (zero_[at(op.operands[1])]) note_relu(op.operands[0], op.results[0]);
        if (zero_[at(op.operands[0])]) note_relu(op.operands[1], op.results[0]);
        break;
      case ir::OpCode::compare:
        ask_output(op);
        break;
      default:
        break;
    }
  }

  void note_relu(ir::ValueId input, ir::ValueId output) {
    noted_.emplace_back(input, relu_[at(input)]);
    relu_[at(input)] = output;
  }

  void ask_output(ir::Op& op) {
    const auto& attributes = op.get<ir::CompareAttributes>();
    const bool positive = attributes.direction == ir::Direction::gt &&
                          attributes.type == ir::CompareType::automatic &&
                          zero_[at(op.operands[1])];
    const ir::ValueId output = relu_[at(op.operands[0])];
    if (positive && output >= 0) op.operands[0] = output;
  }

  std::vector<bool> zero_;         // all elements are 0
  std::vector<ir::ValueId> relu_;  // x -> maximum(x, 0), where the current block sees it
  std::vector<std::pair<ir::ValueId, ir::ValueId>>
      noted_;  // what was set, and to what it goes back
};

}  // namespace

void ask_relu_output(ir::Module& module) {
  for (ir::Function& function : module.functions) Rewrite(function).run(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
