#include "backends/cpu/fuse/pattern.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "backends/cpu/fuse/normalize_gradient_pattern.h"
#include "backends/cpu/fuse/normalize_pattern.h"
#include "backends/cpu/fuse/row_reader.h"
#include "backends/cpu/fuse/softmax_gradient_pattern.h"
#include "backends/cpu/fuse/softmax_pattern.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// The one number that the value holds, if it is one.
std::optional<double> splat_number(const Planner& planner, ir::ValueId value) {
  const std::optional<Literal> scalar = planner.splat(value);
  if (!scalar || is_complex(scalar->dtype())) return std::nullopt;
  return scalar->number_at(0);
}

bool is_splat_zero(const Planner& planner, ir::ValueId value) {
  return splat_number(planner, value) == 0.0;
}

using OpSet = std::unordered_set<const ir::Op*>;

class Finder {
 public:
  Finder(const Planner& planner, const ir::Block& block) : planner_(planner), block_(block) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      for (ir::ValueId operand : ir::values_read(block.ops[i])) readers_[operand].push_back(i);
    }
  }

  std::vector<Group> run() {
    for (size_t i = 0; i < block_.ops.size(); ++i) {
      const ir::Op& op = block_.ops[i];
      if (op.code == ir::OpCode::dot_general || op.code == ir::OpCode::convolution) {
        find_product(op);
      } else if (op.code == ir::OpCode::select) {
        find_gradients(i);
      } else if (op.code == ir::OpCode::exponential) {
        keep_closed(softmax_pattern(planner_, block_, op));
      } else if (op.code == ir::OpCode::rsqrt) {
        find_normalization(op);
      } else if (op.code == ir::OpCode::negate) {
        find_normalization_gradient(op);
        keep_closed(softmax_gradient_pattern(planner_, block_, op));
      }
    }
    return std::move(patterns_);
  }

 private:
  // The one op of this block that reads `value`, if nothing else does.
  const ir::Op* only_reader(ir::ValueId value) const {
    const auto found = readers_.find(value);
    if (planner_.uses(value) != 1 || found == readers_.end()) return nullptr;
    return &block_.ops[found->second[0]];
  }

  int column_axes(const ir::Op& op) const;
  ir::ValueId bias_of(const ir::Op& add, ir::ValueId product, int column_axes) const;
  bool is_read_elementwise(const ir::Op& add) const;
  bool adds_up(const ir::Op& product, const ir::Op& add) const;
  void add_upper_bound(BiasedProduct& product, std::vector<const ir::Op*>& ops) const;
  void find_product(const ir::Op& op);
  void find_gradients(size_t select);
  void find_normalization(const ir::Op& rsqrt);
  void find_normalization_gradient(const ir::Op& negate);
  bool add_reader(ConvolutionGradients& gradients, const ir::Op& op, ir::ValueId dy) const;
  bool keep(Group pattern);
  bool keep_closed(std::optional<Group> pattern);
  bool is_closed(const Group& pattern) const;
  bool is_read_before(ir::ValueId value, const ir::Op* last, const OpSet& members) const;

  const Planner& planner_;
  const ir::Block& block_;
  std::unordered_map<ir::ValueId, std::vector<size_t>> readers_;
  std::vector<Group> patterns_;
  OpSet taken_;  // by these
};

// How many of the result's last axes are the columns, or channels, that a bias belongs to; 0: none.
int Finder::column_axes(const ir::Op& op) const {
  const ir::Type& type = planner_.type(op.results[0]);
  const int last = type.shape.rank() - 1;
  const bool one_type = planner_.type(op.operands[0]).dtype == type.dtype &&
                        planner_.type(op.operands[1]).dtype == type.dtype;
  if (!one_type || !is_float(type.dtype) || type.shape.elements() == 0) return 0;
  if (op.code == ir::OpCode::convolution) {
    const auto& a = op.get<ir::ConvolutionAttributes>();
    const auto plain = [](const ir::Axes& dilation) {
      return std::all_of(dilation.begin(), dilation.end(), [](int64_t d) { return d == 1; });
    };
    const bool reversed = std::count(a.window_reversal.begin(), a.window_reversal.end(), true) > 0;
    const bool forward = a.output_feature_dimension == last && plain(a.lhs_dilation) && !reversed;
    return forward && a.batch_group_count == 1 ? 1 : 0;
  }
  const auto& a = op.get<ir::DotAttributes>();
  const size_t used = a.rhs_batching_dimensions.size() + a.rhs_contracting_dimensions.size();
  return planner_.type(op.operands[1]).shape.rank() - static_cast<int>(used);
}

// What `add` adds to each row of `product`; no_value where it is not that.
ir::ValueId Finder::bias_of(const ir::Op& add, ir::ValueId product, int column_axes) const {
  const ir::ValueId other = add.operands[0] == product ? add.operands[1] : add.operands[0];
  const ir::Op* broadcast = planner_.definition(other);
  if (broadcast == nullptr || broadcast->code != ir::OpCode::broadcast_in_dim) return ir::no_value;
  const ir::Type& type = planner_.type(broadcast->operands[0]);
  const Shape& shape = planner_.type(other).shape;
  const auto& axes = broadcast->get<ir::BroadcastAttributes>().dimensions;
  if (static_cast<int>(axes.size()) != column_axes) return ir::no_value;
  for (int i = 0; i < column_axes; ++i) {
    const int axis = shape.rank() - column_axes + i;
    if (axes[static_cast<size_t>(i)] != axis || type.shape[i] != shape[axis]) return ir::no_value;
  }
  return broadcast->operands[0];
}

// Whether elementwise ops of its own shape read the sum next, and nothing else does: their program
// adds a bias at no cost, where oneDNN's product makes a pass over the whole result for it. A sum
// that is read again later, as in a gradient, would have to be stored beside what they compute.
bool Finder::is_read_elementwise(const ir::Op& add) const {
  const ir::ValueId sum = add.results[0];
  const auto found = readers_.find(sum);
  if (found == readers_.end()) return false;
  const auto joins = [&](const ir::Op& op) {
    return is_fusible(planner_, op) &&
           planner_.type(op.results[0]).shape == planner_.type(sum).shape;
  };
  int uses = 0;  // by ops that join; a block may return the sum, and regions read it
  for (size_t reader : found->second) {
    const ir::Op& op = block_.ops[reader];
    if (!joins(op)) return false;
    uses += static_cast<int>(std::count(op.operands.begin(), op.operands.end(), sum));
  }
  return uses == planner_.uses(sum) &&
         std::all_of(&add + 1, &block_.ops[found->second.back()],
                     [&](const ir::Op& op) { return is_view_op(op.code) || joins(op); });
}

// Whether the block gives back what it found and the product, as a loop that adds up gradients
// does: then the product is added where the sum lies, and is not stored itself.
bool Finder::adds_up(const ir::Op& product, const ir::Op& add) const {
  const ir::ValueId sum = add.results[0];
  const ir::ValueId addend = add.operands[add.operands[0] == product.results[0] ? 1 : 0];
  const auto& found = block_.arguments;
  const auto results = std::count(block_.results.begin(), block_.results.end(), sum);
  return product.code == ir::OpCode::dot_general && planner_.type(sum).dtype == DType::f32 &&
         product.get<ir::DotAttributes>().lhs_batching_dimensions.empty() &&
         std::find(found.begin(), found.end(), addend) != found.end() &&
         planner_.uses(addend) == 1 && results == 1 && planner_.uses(sum) == 1;
}

// minimum(., most) after a relu.
void Finder::add_upper_bound(BiasedProduct& product, std::vector<const ir::Op*>& ops) const {
  const ir::Op* bound = only_reader(product.result);
  if (bound == nullptr || bound->code != ir::OpCode::minimum ||
      !is_float(planner_.type(product.result).dtype)) {
    return;
  }
  const auto most =
      splat_number(planner_, bound->operands[bound->operands[0] == product.result ? 1 : 0]);
  if (!most || !std::isfinite(*most) || *most < 0) return;
  ops.push_back(bound);
  product.most = *most;
  product.result = bound->results[0];
}

void Finder::find_product(const ir::Op& op) {
  const int columns = column_axes(op);
  if (columns < 1) return;
  const ir::Op* add = only_reader(op.results[0]);
  if (add == nullptr || add->code != ir::OpCode::add) return;
  std::vector<const ir::Op*> ops{&op, add};
  BiasedProduct product{.bias = bias_of(*add, op.results[0], columns), .result = add->results[0]};
  if (product.bias == ir::no_value) {
    if (!adds_up(op, *add)) return;
    product.addend = add->operands[add->operands[0] == op.results[0] ? 1 : 0];
    keep({.ops = std::move(ops), .kind = product});
    return;
  }
  const ir::Op* relu = only_reader(add->results[0]);
  if (relu != nullptr && relu->code == ir::OpCode::maximum &&
      is_splat_zero(planner_, relu->operands[relu->operands[0] == add->results[0] ? 1 : 0])) {
    ops.push_back(relu);
    product.relu = true;
    product.result = relu->results[0];
    if (op.code == ir::OpCode::convolution) add_upper_bound(product, ops);
  } else if (op.code == ir::OpCode::dot_general &&
             planner_.type(op.results[0]).dtype == DType::f32 && is_read_elementwise(*add)) {
    return;
  }
  keep({.ops = std::move(ops), .kind = product});
}

// Puts one reader of dy in its place; false where it has none.
bool Finder::add_reader(ConvolutionGradients& gradients, const ir::Op& op, ir::ValueId dy) const {
  const ir::Op** place = nullptr;
  if (RowReader(planner_, block_).sums_columns(op)) {
    place = &gradients.bias;
  } else if (op.code == ir::OpCode::convolution && op.operands[0] != op.operands[1]) {
    place = op.operands[0] == dy ? &gradients.data : &gradients.weights;
  }
  if (place == nullptr || *place != nullptr) return false;
  *place = &op;
  return true;
}

// False where another pattern has one of the ops.
bool Finder::keep(Group pattern) {
  const auto is_taken = [&](const ir::Op* op) { return taken_.count(op) != 0; };
  if (std::any_of(pattern.ops.begin(), pattern.ops.end(), is_taken)) return false;
  taken_.insert(pattern.ops.begin(), pattern.ops.end());
  patterns_.push_back(std::move(pattern));
  return true;
}

bool Finder::keep_closed(std::optional<Group> pattern) {
  return pattern && is_closed(*pattern) && keep(std::move(*pattern));
}

// Nobody else reads a result of the pattern before its last op.
bool Finder::is_closed(const Group& pattern) const {
  const OpSet members(pattern.ops.begin(), pattern.ops.end());
  const ir::Op* last = *std::max_element(pattern.ops.begin(), pattern.ops.end());
  for (const ir::Op* op : pattern.ops) {
    for (ir::ValueId result : op->results) {
      if (is_read_before(result, last, members)) return false;
    }
  }
  return true;
}

// Nothing reads a view but what reads the view's views.
bool Finder::is_read_before(ir::ValueId value, const ir::Op* last, const OpSet& members) const {
  const auto found = readers_.find(value);
  if (found == readers_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](size_t reader) {
    const ir::Op* other = &block_.ops[reader];
    if (other > last || members.count(other) != 0) return false;
    return !is_view_op(other->code) || is_read_before(other->results[0], last, members);
  });
}

// select(relu_output > 0, gradient, 0) that only a convolution's gradients read.
void Finder::find_gradients(size_t index) {
  const ir::Op& select = block_.ops[index];
  const ir::ValueId dy = select.results[0];
  const ir::Op* mask = planner_.definition(select.operands[0]);
  const bool masks =
      mask != nullptr && mask->code == ir::OpCode::compare &&
      mask->get<ir::CompareAttributes>().direction == ir::Direction::gt &&
      is_splat_zero(planner_, mask->operands[1]) && is_splat_zero(planner_, select.operands[2]) &&
      planner_.uses(mask->results[0]) == 1 && planner_.type(mask->operands[0]) == planner_.type(dy);
  const auto readers = readers_.find(dy);
  if (!masks || readers == readers_.end()) return;
  // The mask must be of this block.
  if (mask < block_.ops.data() || mask >= block_.ops.data() + block_.ops.size()) return;
  const size_t count = readers->second.size();
  if (planner_.uses(dy) != static_cast<int>(count)) return;
  std::vector<const ir::Op*> ops{mask, &select};
  ConvolutionGradients gradients{.gradient = select.operands[1], .relu_output = mask->operands[0]};
  for (size_t reader : readers->second) {
    if (!add_reader(gradients, block_.ops[reader], dy)) return;
    ops.push_back(&block_.ops[reader]);
  }
  if (gradients.weights != nullptr) keep_closed(Group{.ops = std::move(ops), .kind = gradients});
}

void Finder::find_normalization(const ir::Op& rsqrt) {
  for (const bool whole : {true, false}) {
    if (keep_closed(normalize_pattern(planner_, block_, rsqrt, whole))) return;
  }
}

void Finder::find_normalization_gradient(const ir::Op& negate) {
  for (const bool with_sums : {true, false}) {
    if (keep_closed(normalize_gradient_pattern(planner_, block_, negate, with_sums))) return;
  }
}

}  // namespace

std::vector<Group> find_patterns(const Planner& planner, const ir::Block& block) {
  return Finder(planner, block).run();
}

}  // namespace cpu
}  // namespace systolic::inline v0
