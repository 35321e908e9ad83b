// Ops that move elements: slices, concatenation, padding.
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_concatenate(const OpVerifier& op) {
  const NamedValues inputs = op.operands("inputs");
  op.require(!inputs.empty(), 3, [] { return Violation{"size(inputs)", "0", "1 or more"}; });
  const NamedValue result = op.result();
  const int64_t axis = op.integer("dimension");
  for (const NamedValue& input : inputs) op.same_element(1, input, inputs[0]);
  op.in_range(4, "dimension", {axis}, inputs[0].rank());
  int64_t sum = 0;
  for (const NamedValue& input : inputs) {
    op.same_rank(2, input, inputs[0]);
    for (int64_t i = 0; i < input.rank(); ++i) {
      if (i != axis) op.same_dim(2, input, i, inputs[0], i);
    }
    const int64_t size = input.dim(axis);
    sum = size == dynamic_size || sum == dynamic_size ? dynamic_size : sum + size;
  }
  op.same_element(5, result, inputs[0]);
  Axes wanted = inputs[0].type->dims;
  wanted[static_cast<size_t>(axis)] = sum;
  op.shape_is(6, result, wanted);
}

namespace {

// 0 <= sizes <= shape(operand), as many as it has axes.
void sizes_within(const OpVerifier& op, int constraint, std::string_view name, const Axes& sizes,
                  const NamedValue& operand) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = sizes[i], most = operand.type->dims[i];
    const bool within =
        size == dynamic_size || (size >= 0 && (most == dynamic_size || size <= most));
    op.require(within, constraint, [&] {
      return Violation{str(name, "[", i, "]"), str(size),
                       str("0 to ", most, " = dim(", operand.text(), ", ", i, ")")};
    });
  }
}

}  // namespace

void verify_dynamic_slice(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const NamedValues starts = op.operands("start_indices", 1);
  const Axes sizes = op.axes("slice_sizes");
  op.same_element(1, result, operand);
  op.size_is(2, "start_indices", starts.size(), operand.rank());
  op.size_is(2, "slice_sizes", sizes.size(), operand.rank());
  for (const NamedValue& start : starts) op.same_type(3, start, starts[0]);
  op.at_least(4, "slice_sizes", sizes, 0);
  sizes_within(op, 4, "slice_sizes", sizes, operand);
  op.shape_is(5, result, sizes);
}

void verify_dynamic_update_slice(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), update = op.operand(1, "update");
  const NamedValues starts = op.operands("start_indices", 2);
  op.same_type(1, op.result(), operand);
  op.same_element(2, update, operand);
  op.same_rank(3, update, operand);
  op.size_is(4, "start_indices", starts.size(), operand.rank());
  for (const NamedValue& start : starts) op.same_type(5, start, starts[0]);
  sizes_within(op, 6, "shape(update)", update.type->dims, operand);
}

void verify_get_dimension_size(const OpVerifier& op) {
  op.in_range(1, "dimension", {op.integer("dimension")}, op.operand(0, "operand").rank());
}

void verify_iota(const OpVerifier& op) {
  op.in_range(1, "iota_dimension", {op.integer("iota_dimension")}, op.result(0, "output").rank());
  op.known_shape(op.result(0, "output"), false);
}

void has_sizes(const OpVerifier& op, int constraint, const Axes& sizes) {
  op.at_least(constraint, "sizes of the result", sizes, 0);
  op.shape_is(constraint, op.result(), sizes);
}

void verify_dynamic_iota(const OpVerifier& op) {
  const NamedValue shape = op.operand(0, "output_shape");
  if (shape.rank() != 1 || shape.dim(0) == dynamic_size) return;
  op.in_range(1, "iota_dimension", {op.integer("iota_dimension")}, shape.dim(0));
  op.is(2, "rank(result)", op.result().rank(), shape.dim(0));
  if (const auto sizes = op.constant(0)) has_sizes(op, 2, *sizes);
}

namespace {

void pad_elements(const OpVerifier& op, const NamedValue& operand) {
  op.same_element(1, op.operand(1, "padding_value"), operand);
  op.same_element(1, op.result(), operand);
}

// C4 of both: what each axis of the result holds.
void padded_sizes(const OpVerifier& op, const NamedValue& operand, const Axes& low,
                  const Axes& interior, const Axes& high) {
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t axis = static_cast<int64_t>(i), got = op.result().dim(axis);
    const std::optional<int64_t> wanted =
        padded_size(operand.dim(axis), low[i], interior[i], high[i]);
    op.require(!wanted || got == dynamic_size || got == *wanted, 4, [&] {
      return Violation{str("dim(result, ", i, ")"), str(got), str(*wanted)};
    });
    const std::optional<int64_t> most =
        padded_size(largest_size(*operand.type, i), low[i], interior[i], high[i]);
    op.require(!most || *most >= 0, 4, [&] {
      return Violation{str("dim(operand, ", i, ") with its padding"), str(*most), "0 or more"};
    });
  }
}

}  // namespace

void verify_pad(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  const Axes low = op.axes("edge_padding_low"), high = op.axes("edge_padding_high"),
             interior = op.axes("interior_padding");
  pad_elements(op, operand);
  op.size_is(2, "edge_padding_low", low.size(), operand.rank());
  op.size_is(2, "edge_padding_high", high.size(), operand.rank());
  op.size_is(2, "interior_padding", interior.size(), operand.rank());
  op.at_least(3, "interior_padding", interior, 0);
  op.same_rank(4, op.result(), operand);
  padded_sizes(op, operand, low, interior, high);
}

void verify_dynamic_pad(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  pad_elements(op, operand);
  constexpr std::string_view names[] = {"edge_padding_low", "edge_padding_high",
                                        "interior_padding"};
  for (size_t i = 0; i < 3; ++i) {
    const NamedValue sizes = op.operand(2 + i, names[i]);
    if (sizes.rank() == 1) op.is(2, str("size(", names[i], ")"), sizes.dim(0), operand.rank());
  }
  op.same_rank(4, op.result(), operand);
  const auto low = op.constant(2), high = op.constant(3), interior = op.constant(4);
  if (interior) op.at_least(3, "interior_padding", *interior, 0);
  if (low && high && interior) padded_sizes(op, operand, *low, *interior, *high);
}

void verify_reverse(const OpVerifier& op) {
  const Axes dimensions = op.axes("dimensions");
  op.same_type(1, op.result(), op.operand(0, "operand"));
  op.unique(2, "dimensions", dimensions);
  op.in_range(3, "dimensions", dimensions, op.result().rank());
}

void verify_slice(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const Axes start = op.axes("start_indices"), limit = op.axes("limit_indices"),
             strides = op.axes("strides");
  op.same_element(1, result, operand);
  op.size_is(2, "start_indices", start.size(), operand.rank());
  op.size_is(2, "limit_indices", limit.size(), operand.rank());
  op.size_is(2, "strides", strides.size(), operand.rank());
  Axes wanted;
  for (size_t i = 0; i < start.size(); ++i) {
    const int64_t size = largest_size(*operand.type, i);
    const bool within =
        0 <= start[i] && start[i] <= limit[i] && (size == dynamic_size || limit[i] <= size);
    op.require(within, 3, [&] {
      return Violation{str("slice of axis ", i), str(start[i], " to ", limit[i]),
                       str("a part of 0 to ", size)};
    });
    op.at_least(4, "strides", {strides[i]}, 1);
    wanted.push_back((limit[i] - start[i]) / strides[i] +
                     ((limit[i] - start[i]) % strides[i] != 0));
  }
  op.shape_is(5, result, wanted);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
