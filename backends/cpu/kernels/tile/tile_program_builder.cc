#include <algorithm>
#include <cstring>

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

namespace {

// The node of the next input array, as values of `type`.
int add_input(TileGraph& graph, DType stored, DType type, const TileAccess& access) {
  TileNode node;
  node.kind = TileNode::Kind::input;
  node.type = type;
  node.input = static_cast<int>(graph.inputs.size());
  graph.inputs.push_back({stored, access});
  graph.nodes.push_back(node);
  return static_cast<int>(graph.nodes.size()) - 1;
}

}  // namespace

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
  return add_input(*graph_, dtype, compute_type(dtype),
                   make_tile_access(graph_->dims, strides, offset));
}

TileProgramBuilder::Value TileProgramBuilder::row_sums() {
  ensure(!graph_->dims.empty() && graph_->elements > 0, "row sums are of a table with rows");
  const int64_t rows = graph_->dims.front();
  TileAccess table{.kind = TileAccess::Kind::row_sums};
  table.sizes[0] = rows;
  table.sizes[1] = graph_->elements / rows;
  graph_->inputs.push_back({DType::i32, TileAccess{}});
  return add_input(*graph_, DType::f32, DType::f32, table);
}

TileProgramBuilder::Value TileProgramBuilder::drawn_words(int state_words) {
  ensure(state_words == 2 || state_words == 3, "Philox draws from a state of 2 or 3 words");
  TileAccess drawn{.kind = TileAccess::Kind::drawn};
  drawn.sizes[0] = state_words;
  return add_input(*graph_, DType::u64, DType::u32, drawn);
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

TileProgram TileProgramBuilder::build() {
  ensure(!graph_->outputs.empty(), "an elementwise program needs an output");
  merge_chains(*graph_);
  merge_gelu(*graph_);
  merge_masks(*graph_);
  merge_pairs(*graph_);
  return TileProgram(assemble(*graph_));
}

}  // namespace kernels
}  // namespace systolic::inline v0
