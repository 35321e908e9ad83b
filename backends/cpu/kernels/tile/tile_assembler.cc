#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/tile/tile_graph.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Turns a graph into steps: schedules, assigns slots, and finds out which arrays may stand in for
// slots.
class Assembler {
 public:
  explicit Assembler(const TileGraph& graph)
      : graph_(graph), value_of_(graph.nodes.size(), -1), last_use_(graph.nodes.size(), -1) {}

  std::shared_ptr<TileProgramData> run() {
    data_->elements = graph_.elements;
    data_->inputs = graph_.inputs;
    data_->outputs = graph_.outputs;
    data_->table = graph_.table;
    find_last_uses();
    for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n) {
      if (last_use_[n] < 0) continue;
      for (int k = 0; k < graph_.nodes[n].operand_count; ++k) prepare(graph_.nodes[n].operands[k]);
      if (graph_.nodes[n].kind == TileNode::Kind::op) emit_op(n);
      for (int k = 0; k < graph_.nodes[n].operand_count; ++k) {
        const int operand = graph_.nodes[n].operands[k];
        if (last_use_[operand] != n) continue;
        free_slot(operand);
        last_use_[operand] = freed;  // it may be an operand twice
      }
    }
    for (const TileOutput& output : graph_.outputs) prepare(output.node);
    for (size_t k = 0; k < graph_.outputs.size(); ++k) emit_store(static_cast<int>(k));
    for (TileDirectOutput& output : data_->direct_outputs) {
      output.hazards = inputs_read_after(output.value);
    }
    for (int input : direct_candidates_) add_direct_input(input);
    for (TileConstant& constant : data_->constants) constant.few = needs_few(constant.value);
    check_size();
    return data_;
  }

 private:
  static constexpr int never = INT32_MAX, freed = INT32_MAX - 1;

  void find_last_uses() {
    for (const TileOutput& output : graph_.outputs) last_use_[output.node] = never;
    for (int n = static_cast<int>(graph_.nodes.size()) - 1; n >= 0; --n) {
      if (last_use_[n] < 0) continue;
      for (int k = 0; k < graph_.nodes[n].operand_count; ++k) {
        int& use = last_use_[graph_.nodes[n].operands[k]];
        use = std::max(use, n);
      }
    }
  }

  // A constant is filled once at the start, so its slot is its own; other values take over free
  // ones.
  int16_t new_value(int n) {
    if (data_->values == max_tile_values) refuse();
    const bool fresh = free_slots_.empty() || keeps_slot(graph_.nodes[n]);
    if (fresh) free_slots_.push_back(slots_++);
    data_->slot_of.push_back(free_slots_.back());
    free_slots_.pop_back();
    widest_ = std::max(widest_, byte_width(graph_.nodes[n].type));
    value_of_[n] = data_->values++;
    return static_cast<int16_t>(value_of_[n]);
  }
  void free_slot(int n) {
    if (!keeps_slot(graph_.nodes[n])) free_slots_.push_back(data_->slot_of[value_of_[n]]);
  }
  bool keeps_slot(const TileNode& node) const {
    return node.kind == TileNode::Kind::constant || is_scalar_input(node) || is_kept_row(node);
  }
  // A repeated row of which every tile holds a whole number: loaded once and then found in its
  // slot. (Tiles that turn out to be smaller load it again where they start elsewhere in it.)
  bool is_kept_row(const TileNode& node) const {
    if (node.kind != TileNode::Kind::input || node.input >= max_kept_rows) return false;
    const TileAccess& access = graph_.inputs[node.input].access;
    return access.kind == TileAccess::Kind::repeated && whole_rows_tile_ % access.sizes[1] == 0;
  }
  static bool is_long_row(const TileInput& input) {
    const TileAccess& access = input.access;
    return access.kind == TileAccess::Kind::strided && access.axes == 2 && access.strides[0] == 0 &&
           access.strides[1] == 1 && TileProgramBuilder::compute_type(input.dtype) == input.dtype;
  }
  bool is_scalar_input(const TileNode& node) const {
    return node.kind == TileNode::Kind::input &&
           graph_.inputs[node.input].access.kind == TileAccess::Kind::scalar;
  }

  static bool is_computed(const TileNode& node) {
    return node.kind == TileNode::Kind::op || node.kind == TileNode::Kind::also;
  }

  // Loads, fills or generates a leaf at its first use.
  void prepare(int n) {
    const TileNode& node = graph_.nodes[n];
    if (value_of_[n] >= 0 || is_computed(node)) return;
    if (node.kind == TileNode::Kind::constant || is_scalar_input(node)) return add_constant(n);
    TileStep step;
    step.result = new_value(n);
    step.type = node.type;
    if (node.kind == TileNode::Kind::iota) {
      step.kind = TileStep::Kind::iota;
      step.iota_inner = node.iota_inner;
      step.iota_size = node.iota_size;
    } else {
      step.kind = TileStep::Kind::load;
      step.array = node.input;
      if (keeps_slot(node)) step.kept_row = data_->kept_rows++;
      step.long_row = is_long_row(graph_.inputs[node.input]);
      const TileInput& input = graph_.inputs[node.input];
      const bool in_place = input.access.kind == TileAccess::Kind::contiguous &&
                            TileProgramBuilder::compute_type(input.dtype) == input.dtype;
      if (in_place) direct_candidates_.push_back(n);
    }
    data_->steps.push_back(step);
  }

  void add_constant(int n) {
    const TileNode& node = graph_.nodes[n];
    const auto key = std::make_pair(node.type, node.bits);
    if (node.kind == TileNode::Kind::constant) {
      const auto found = constants_.find(key);
      if (found != constants_.end()) {
        value_of_[n] = found->second;
        return;
      }
    }
    const int16_t value = new_value(n);
    if (node.kind == TileNode::Kind::constant) constants_[key] = value;
    data_->constants.push_back({value, byte_width(node.type), node.bits, node.input});
  }

  void emit_op(int n) {
    const TileNode& node = graph_.nodes[n];
    TileStep step;
    step.code = node.code;
    step.type = node.type;
    step.operand_count = node.operand_count;
    step.parameters = node.parameters;
    if (node.code == TileCode::adam) step.parameters[0] = has_same_rates(node) ? 1 : 0;
    for (int k = 0; k < node.operand_count; ++k) {
      step.operands[k] = static_cast<int16_t>(value_of_[node.operands[k]]);
    }
    const DType first = graph_.nodes[node.operands[0]].type;
    if (node.code == TileCode::convert) {
      step.kernel = find_convert(first, node.type);
    } else {
      const bool selects =
          node.code == code_of(TileOp::select) || node.code == TileCode::select_product;
      step.kernel = find_kernel(node.code, selects ? node.type : first);
    }
    ensure(step.kernel != nullptr, "every op that the builder accepts has a kernel");
    step.result = new_value(n);
    for (size_t k = 0; k < 2 && node.also[k] >= 0; ++k) step.also[k] = new_value(node.also[k]);
    data_->steps.push_back(step);
  }

  static bool is_rate(const TileStep& step, int operand) {
    if (step.code != TileCode::adam || step.parameters[0] == 0) return false;
    return operand == 2 || operand == 4 || operand >= 6;
  }
  bool has_same_rates(const TileNode& adam) const {
    for (int k : {2, 4, 6, 7}) {
      const TileNode& rate = graph_.nodes[adam.operands[k]];
      if (rate.kind != TileNode::Kind::constant && !is_scalar_input(rate)) return false;
    }
    return true;
  }
  // Whether all steps that read the value take it for the same everywhere.
  bool needs_few(int16_t value) const {
    for (const TileStep& step : data_->steps) {
      for (int k = 0; k < step.operand_count; ++k) {
        if (step.operands[k] == value && !is_rate(step, k)) return false;
      }
    }
    return true;
  }

  void emit_store(int k) {
    const TileOutput& output = graph_.outputs[k];
    const int value = value_of_[output.node];
    TileStep step;
    step.kind = TileStep::Kind::store;
    step.array = k;
    step.type = output.dtype;
    step.operands[0] = static_cast<int16_t>(value);
    step.operand_count = 1;
    data_->steps.push_back(step);
    const TileNode& node = graph_.nodes[output.node];
    const bool direct = is_computed(node) && output.access.kind == TileAccess::Kind::contiguous &&
                        TileProgramBuilder::compute_type(output.dtype) == output.dtype &&
                        !has_direct_output(value);
    if (!direct) return;
    TileDirectOutput direct_output;
    direct_output.value = static_cast<int16_t>(value);
    direct_output.array = k;
    direct_output.width = byte_width(output.dtype);
    direct_output.offset = output.access.offset * direct_output.width;
    data_->direct_outputs.push_back(std::move(direct_output));
  }
  bool has_direct_output(int value) const {
    for (const TileDirectOutput& output : data_->direct_outputs) {
      if (output.value == value) return true;
    }
    return false;
  }

  // Inputs that some step reads after the one that makes `value`.
  std::vector<int> inputs_read_after(int value) const {
    std::vector<int> input_of(static_cast<size_t>(data_->values), -1);
    std::vector<int> result;
    bool written = false;
    for (const TileStep& step : data_->steps) {
      if (step.kind == TileStep::Kind::load) input_of[step.result] = step.array;
      if (written) {
        if (step.kind == TileStep::Kind::load) result.push_back(step.array);
        for (int k = 0; k < step.operand_count; ++k) {
          if (input_of[step.operands[k]] >= 0) result.push_back(input_of[step.operands[k]]);
        }
      }
      const bool makes = step.result == value || step.also[0] == value || step.also[1] == value;
      if (step.kind == TileStep::Kind::run && makes) written = true;
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  void add_direct_input(int n) {
    const TileNode& node = graph_.nodes[n];
    // An input that is an output too is read last, when another output may have overwritten its
    // array: keep a copy.
    const auto stores_it = [n](const TileOutput& output) { return output.node == n; };
    const bool is_output = std::any_of(graph_.outputs.begin(), graph_.outputs.end(), stores_it);
    if (is_output && graph_.outputs.size() > 1) return;
    const TileInput& input = graph_.inputs[node.input];
    const int width = byte_width(input.dtype);
    data_->direct_inputs.push_back(
        {static_cast<int16_t>(value_of_[n]), node.input, width, input.access.offset * width});
  }

  [[noreturn]] void refuse() const {
    raise<ResourceExhausted>({.what = str("a fused elementwise program with ", slots_,
                                          " live values of ", graph_.nodes.size()),
                              .wanted = str("at most ", tile_storage_bytes / (64 * widest_),
                                            " live values of ", max_tile_values),
                              .hint = "split it in two"});
  }

  void check_size() {
    int64_t tile = max_tile_elements;
    const auto bytes = [&] { return tile * widest_ * slots_; };
    // All of it should stay in the first-level cache, with the arrays.
    if (bytes() > 24 * 1024) tile = 256;
    if (bytes() > 24 * 1024) tile = 128;
    if (bytes() > tile_storage_bytes) tile = 64;
    if (bytes() > tile_storage_bytes) refuse();
    data_->tile = suited_to_rows(tile);
    data_->slot_bytes = data_->tile * widest_;
  }

  // The tile up to `most`, and not much smaller, that suits the most of the repeated rows: it holds
  // whole rows, which then lie in their slot from the tile before, or is a whole part of a longer
  // row, which then is read where it lies.
  int64_t suited_to_rows(int64_t most) const {
    int64_t best = most;
    int best_rows = 0;
    for (int64_t tile = most; 4 * tile >= 3 * most; tile -= tile_group) {
      const auto suits = [&](const TileInput& input) {
        if (input.access.kind != TileAccess::Kind::repeated && !is_long_row(input)) return false;
        const int64_t row = input.access.sizes[1];
        return row > tile ? row % tile == 0 : tile % row == 0;
      };
      const auto rows =
          static_cast<int>(std::count_if(graph_.inputs.begin(), graph_.inputs.end(), suits));
      if (rows > best_rows) best = tile, best_rows = rows;
    }
    return best;
  }

  const TileGraph& graph_;
  std::shared_ptr<TileProgramData> data_ = std::make_shared<TileProgramData>();
  std::vector<int> value_of_;  // node -> value, or -1
  std::vector<int> last_use_;  // node -> last node that reads it; never for outputs; -1 if dead
  std::vector<int> free_slots_;
  std::vector<int> direct_candidates_;  // nodes
  std::map<std::pair<DType, uint64_t>, int> constants_;
  const int64_t whole_rows_tile_ = suited_to_rows(max_tile_elements);
  int slots_ = 0;
  int widest_ = 1;
};

}  // namespace

std::shared_ptr<TileProgramData> assemble(const TileGraph& graph) { return Assembler(graph).run(); }

}  // namespace kernels
}  // namespace systolic::inline v0
