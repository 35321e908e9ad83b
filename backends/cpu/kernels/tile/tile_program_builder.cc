#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "backends/cpu/kernels/tile/tile_graph.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/error.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

int operand_count(TileOp op) {
  switch (op) {
    case TileOp::clamp:
    case TileOp::select:
      return 3;
    case TileOp::add:
    case TileOp::and_:
    case TileOp::atan2:
    case TileOp::divide:
    case TileOp::maximum:
    case TileOp::minimum:
    case TileOp::multiply:
    case TileOp::or_:
    case TileOp::power:
    case TileOp::remainder:
    case TileOp::shift_left:
    case TileOp::shift_right_arithmetic:
    case TileOp::shift_right_logical:
    case TileOp::subtract:
    case TileOp::xor_:
      return 2;
    default:
      return 1;
  }
}

template <class Number>
uint64_t bits_of(DType dtype, Number value) {
  uint64_t bits = 0;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T converted = convert_element<T>(value);
    std::memcpy(&bits, &converted, sizeof(T) <= sizeof(bits) ? sizeof(T) : sizeof(bits));
  });
  return bits;
}

// Rounds a constant to the stored type before it is computed with: a bf16 constant has bf16's
// digits.
template <class Number>
uint64_t constant_bits(DType dtype, Number value) {
  const DType compute = TileProgramBuilder::compute_type(dtype);
  if (compute == DType::f32 && dtype != DType::f32) {
    uint64_t bits = 0;
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      bits = bits_of(DType::f32, convert_element<float>(convert_element<T>(value)));
    });
    return bits;
  }
  return bits_of(compute, value);
}

}  // namespace

TileProgramBuilder::TileProgramBuilder(std::span<const int64_t> dims)
    : graph_(std::make_unique<TileGraph>()) {
  if (dims.size() > max_axes) {
    raise<Unimplemented>({.what = str("an elementwise program over ", dims.size(), " axes"),
                          .wanted = str("at most ", max_axes),
                          .hint = "merge neighbouring axes"});
  }
  graph_->dims.assign(dims.begin(), dims.end());
  for (int64_t size : dims) graph_->elements *= size;
}
TileProgramBuilder::~TileProgramBuilder() = default;
TileProgramBuilder::TileProgramBuilder(TileProgramBuilder&&) noexcept = default;
TileProgramBuilder& TileProgramBuilder::operator=(TileProgramBuilder&&) noexcept = default;

DType TileProgramBuilder::compute_type(DType dtype) {
  switch (dtype) {
    case DType::bf16:
    case DType::f16:
    case DType::f8e4m3fn:
    case DType::f8e5m2:
      return DType::f32;
    case DType::i4:
      return DType::i8;
    case DType::u4:
      return DType::u8;
    default:
      return dtype;
  }
}

bool TileProgramBuilder::supports(DType dtype) {
  return dtype == DType::pred || is_integer(dtype) || is_float(dtype);
}

bool TileProgramBuilder::supports(TileOp op, DType dtype) {
  return supports(dtype) && find_kernel(code_of(op), compute_type(dtype)) != nullptr;
}

DType TileProgramBuilder::type_of(Value value) const {
  if (value < 0 || value >= static_cast<int>(graph_->nodes.size())) {
    raise<InvalidArgument>({.what = str("elementwise value ", value, " does not exist"),
                            .wanted = str("one of the ", graph_->nodes.size(), " so far")});
  }
  return graph_->nodes[value].type;
}

TileProgramBuilder::Value TileProgramBuilder::input(DType dtype) {
  std::vector<int64_t> strides(graph_->dims.size());
  int64_t stride = 1;
  for (size_t k = strides.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= graph_->dims[k];
  }
  return input(dtype, strides);
}

TileProgramBuilder::Value TileProgramBuilder::input(DType dtype, std::span<const int64_t> strides,
                                                    int64_t offset) {
  ensure(strides.size() == graph_->dims.size(), "an input needs one stride for each axis");
  if (!supports(dtype)) {
    raise<Unimplemented>({.what = str("an elementwise program on ", dtype),
                          .wanted = "pred, an integer or a float"});
  }
  TileNode node;
  node.kind = TileNode::Kind::input;
  node.type = compute_type(dtype);
  node.input = static_cast<int>(graph_->inputs.size());
  graph_->inputs.push_back({dtype, make_tile_access(graph_->dims, strides, offset)});
  graph_->nodes.push_back(node);
  return static_cast<Value>(graph_->nodes.size()) - 1;
}

TileProgramBuilder::Value TileProgramBuilder::row_sums() {
  ensure(!graph_->dims.empty() && graph_->elements > 0, "row sums are of a table with rows");
  const int64_t rows = graph_->dims.front();
  TileAccess table{.kind = TileAccess::Kind::row_sums};
  table.sizes[0] = rows;
  table.sizes[1] = graph_->elements / rows;
  graph_->inputs.push_back({DType::i32, TileAccess{}});
  TileNode node;
  node.kind = TileNode::Kind::input;
  node.type = DType::f32;
  node.input = static_cast<int>(graph_->inputs.size());
  graph_->inputs.push_back({DType::f32, table});
  graph_->nodes.push_back(node);
  return static_cast<Value>(graph_->nodes.size()) - 1;
}

static int add_constant(TileGraph& graph, decltype(TileNode::type) type,
                        decltype(TileNode::bits) bits) {
  TileNode node;
  node.kind = TileNode::Kind::constant;
  node.type = type;
  node.bits = bits;
  graph.nodes.push_back(node);
  return static_cast<int>(graph.nodes.size()) - 1;
}

TileProgramBuilder::Value TileProgramBuilder::constant(DType dtype, double value) {
  return add_constant(*graph_, compute_type(dtype), constant_bits(dtype, value));
}

TileProgramBuilder::Value TileProgramBuilder::constant_integer(DType dtype, int64_t value) {
  return add_constant(*graph_, compute_type(dtype), constant_bits(dtype, value));
}

TileProgramBuilder::Value TileProgramBuilder::iota(DType dtype, int axis) {
  ensure(axis >= 0 && axis < static_cast<int>(graph_->dims.size()), "iota along an axis");
  TileNode node;
  node.kind = TileNode::Kind::iota;
  node.type = compute_type(dtype);
  node.iota_size = graph_->dims[axis];
  for (size_t k = axis + 1; k < graph_->dims.size(); ++k) node.iota_inner *= graph_->dims[k];
  graph_->nodes.push_back(node);
  return static_cast<Value>(graph_->nodes.size()) - 1;
}

namespace {

// Appends an op whose operands have been checked.
TileProgramBuilder::Value append(TileGraph& graph, TileCode code, DType type,
                                 std::span<const int> operands,
                                 std::array<int, 2> parameters = {}) {
  TileNode node;
  node.code = code;
  node.type = type;
  node.operand_count = static_cast<int>(operands.size());
  std::copy(operands.begin(), operands.end(), node.operands.begin());
  node.parameters = parameters;
  graph.nodes.push_back(node);
  return static_cast<int>(graph.nodes.size()) - 1;
}

}  // namespace

TileProgramBuilder::Value TileProgramBuilder::op(TileOp op, std::span<const Value> operands) {
  if (static_cast<int>(operands.size()) != operand_count(op)) {
    raise<InvalidArgument>(
        {.what = str("elementwise ", name_of(code_of(op)), " of ", operands.size(), " operands"),
         .wanted = str(operand_count(op))});
  }
  const DType type = type_of(operands.back());
  const size_t first = op == TileOp::select ? 1 : 0;
  if (first == 1 && type_of(operands[0]) != DType::pred) {
    raise<InvalidArgument>(
        {.what = str("select on a condition of type ", type_of(operands[0])), .wanted = "pred"});
  }
  for (size_t k = first; k < operands.size(); ++k) {
    if (type_of(operands[k]) == type) continue;
    raise<InvalidArgument>({.what = str("elementwise ", name_of(code_of(op)), " of ",
                                        type_of(operands[k]), " and ", type),
                            .wanted = "operands of one type",
                            .hint = "convert one of them"});
  }
  if (!supports(op, type)) {
    raise<InvalidArgument>(
        {.what = str("elementwise ", name_of(code_of(op)), " is not defined on ", type)});
  }
  return append(*graph_, code_of(op), op == TileOp::is_finite ? DType::pred : type, operands);
}

TileProgramBuilder::Value TileProgramBuilder::compare(CompareDirection direction, Value lhs,
                                                      Value rhs, bool total_order) {
  if (type_of(lhs) != type_of(rhs)) {
    raise<InvalidArgument>({.what = str("compare of ", type_of(lhs), " and ", type_of(rhs)),
                            .wanted = "operands of one type"});
  }
  const TileCode base = total_order ? TileCode::compare_total : TileCode::compare;
  const int operands[] = {lhs, rhs};
  return append(*graph_, base + static_cast<int>(direction), DType::pred, operands);
}

TileProgramBuilder::Value TileProgramBuilder::convert(Value operand, DType dtype) {
  const DType from = type_of(operand), to = compute_type(dtype);
  const int operands[] = {operand};
  if (from != to) operand = append(*graph_, TileCode::convert, to, operands);
  if (to != DType::f32 || dtype == DType::f32) return operand;
  const int rounded[] = {operand};
  return append(*graph_, TileCode::round_to, DType::f32, rounded, {static_cast<int>(dtype), 0});
}

TileProgramBuilder::Value TileProgramBuilder::bitcast(Value operand, DType dtype) {
  const DType from = type_of(operand);
  if (byte_width(from) != byte_width(dtype) || compute_type(dtype) != dtype) {
    raise<InvalidArgument>({.what = str("bitcast of ", from, " to ", dtype),
                            .wanted = "a type of the same width that is computed as it is stored"});
  }
  if (from == dtype) return operand;
  const int operands[] = {operand};
  return append(*graph_, TileCode::bitcast, dtype, operands);
}

TileProgramBuilder::Value TileProgramBuilder::reduce_precision(Value operand, int exponent_bits,
                                                               int mantissa_bits) {
  const DType type = type_of(operand);
  if (!is_float(type) || exponent_bits < 1 || mantissa_bits < 0) {
    raise<InvalidArgument>({.what = str("reduce_precision of ", type, " to ", exponent_bits,
                                        " exponent and ", mantissa_bits, " mantissa bits"),
                            .wanted = "a float, at least 1 and at least 0 bits"});
  }
  const int operands[] = {operand};
  return append(*graph_, TileCode::reduce_precision, type, operands,
                {exponent_bits, mantissa_bits});
}

void TileProgramBuilder::output(Value value, DType dtype) {
  std::vector<int64_t> strides(graph_->dims.size());
  int64_t stride = 1;
  for (size_t k = strides.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= graph_->dims[k];
  }
  output(value, dtype, strides);
}

void TileProgramBuilder::output(Value value, DType dtype, std::span<const int64_t> strides,
                                int64_t offset) {
  ensure(strides.size() == graph_->dims.size(), "an output needs one stride for each axis");
  if (type_of(value) != compute_type(dtype)) value = convert(value, compute_type(dtype));
  // The store rounds by itself.
  const TileNode& node = graph_->nodes[value];
  const bool rounded = node.kind == TileNode::Kind::op && node.code == TileCode::round_to &&
                       node.parameters[0] == static_cast<int>(dtype);
  if (rounded) value = node.operands[0];
  TileAccess access = make_tile_access(graph_->dims, strides, offset);
  if (access.kind == TileAccess::Kind::scalar) access.kind = TileAccess::Kind::contiguous;
  graph_->outputs.push_back({value, dtype, access});
}

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
  // slot.
  bool is_kept_row(const TileNode& node) const {
    if (node.kind != TileNode::Kind::input || node.input >= max_kept_rows) return false;
    const TileAccess& access = graph_.inputs[node.input].access;
    return access.kind == TileAccess::Kind::repeated && max_tile_elements % access.sizes[1] == 0;
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
    for (int k = 0; k < node.operand_count; ++k) {
      step.operands[k] = static_cast<int16_t>(value_of_[node.operands[k]]);
    }
    const DType first = graph_.nodes[node.operands[0]].type;
    if (node.code == TileCode::convert) {
      step.kernel = find_convert(first, node.type);
    } else {
      const bool selects = node.code == code_of(TileOp::select);
      step.kernel = find_kernel(node.code, selects ? node.type : first);
    }
    ensure(step.kernel != nullptr, "every op that the builder accepts has a kernel");
    step.result = new_value(n);
    for (size_t k = 0; k < 2 && node.also[k] >= 0; ++k) step.also[k] = new_value(node.also[k]);
    data_->steps.push_back(step);
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
    // An input that is an output too is read last, when its array may have been overwritten: keep a
    // copy.
    for (const TileOutput& output : graph_.outputs) {
      if (output.node == n) return;
    }
    const TileInput& input = graph_.inputs[node.input];
    const int width = byte_width(input.dtype);
    data_->direct_inputs.push_back(
        {static_cast<int16_t>(value_of_[n]), node.input, width, input.access.offset * width});
  }

  void check_size() {
    int64_t tile = max_tile_elements;
    const auto bytes = [&] { return tile * widest_ * slots_; };
    // All of it should stay in the first-level cache, with the arrays.
    if (bytes() > 24 * 1024) tile = 256;
    if (bytes() > 24 * 1024) tile = 128;
    if (bytes() > tile_storage_bytes) tile = 64;
    if (bytes() > tile_storage_bytes || data_->values > max_tile_values) {
      raise<ResourceExhausted>({.what = str("a fused elementwise program with ", slots_,
                                            " live values and ", data_->values, " values"),
                                .wanted = str("at most ", tile_storage_bytes / (64 * widest_),
                                              " live values and ", max_tile_values, " values"),
                                .hint = "split it in two"});
    }
    data_->tile = tile;
    data_->slot_bytes = tile * widest_;
  }

  const TileGraph& graph_;
  std::shared_ptr<TileProgramData> data_ = std::make_shared<TileProgramData>();
  std::vector<int> value_of_;  // node -> value, or -1
  std::vector<int> last_use_;  // node -> last node that reads it; never for outputs; -1 if dead
  std::vector<int> free_slots_;
  std::vector<int> direct_candidates_;  // nodes
  std::map<std::pair<DType, uint64_t>, int> constants_;
  int slots_ = 0;
  int widest_ = 1;
};

}  // namespace

TileProgram TileProgramBuilder::build() {
  ensure(!graph_->outputs.empty(), "an elementwise program needs an output");
  merge_chains(*graph_);
  merge_pairs(*graph_);
  return TileProgram(Assembler(*graph_).run());
}

}  // namespace kernels
}  // namespace systolic::inline v0
