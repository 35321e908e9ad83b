// reshape, transpose, broadcast_in_dim and their dynamic forms.
#include <algorithm>

#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// C1 of all these: the same elements, but that a quantized axis may move; `scales_may_differ` where
// it may be broadcast too.
void same_but_axis(const OpVerifier& op, const NamedValue& operand, const NamedValue& result,
                   bool scales_may_differ) {
  if (!is_per_axis_quantized(*operand.type)) return op.same_element(1, result, operand);
  const bool same =
      same_baseline_element(*operand.type, *result.type) && is_per_axis_quantized(*result.type) &&
      (scales_may_differ ||
       (operand.type->quantization->scales == result.type->quantization->scales &&
        operand.type->quantization->zero_points == result.type->quantization->zero_points));
  op.require(same, 1, [&] {
    return Violation{"element_type(result)", op.type_of(result),
                     str("that of ", op.type_of(operand), " but for its axis")};
  });
}

// The numbers that tell where a quantized axis is; false where there is none in range.
bool quantized_axes(const NamedValue& operand, const NamedValue& result, int64_t& from,
                    int64_t& to) {
  if (!is_per_axis_quantized(*operand.type) || !is_per_axis_quantized(*result.type)) return false;
  from = *operand.type->quantization->axis;
  to = *result.type->quantization->axis;
  return from >= 0 && from < operand.rank() && to >= 0 && to < result.rank();
}

void broadcast_scales(const OpVerifier& op, const NamedValue& operand, const NamedValue& result,
                      const Axes& dimensions) {
  int64_t from = 0, to = 0;
  if (!quantized_axes(operand, result, from, to)) return;
  op.is(6, "quantization_dimension(result)", to, dimensions[static_cast<size_t>(from)]);
  if (operand.dim(from) != 1) return;
  const Quantization &one = *operand.type->quantization, &all = *result.type->quantization;
  for (size_t i = 0; i < all.scales.size(); ++i) {
    const bool same = all.scales[i] == one.scales[0] && all.zero_points[i] == one.zero_points[0];
    op.require(same, 6, [&] {
      return Violation{str("scale and zero point ", i, " of the result"),
                       str(all.scales[i], ":", all.zero_points[i]),
                       str(one.scales[0], ":", one.zero_points[0], ", the operand's")};
    });
  }
}

}  // namespace

namespace {

void verify_broadcast_axes(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const Axes dimensions = op.axes("broadcast_dimensions");
  same_but_axis(op, operand, result, true);
  op.size_is(2, "broadcast_dimensions", dimensions.size(), operand.rank());
  op.in_range(3, "broadcast_dimensions", dimensions, result.rank());
  op.unique(4, "broadcast_dimensions", dimensions);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.dim(d) != 1) {
      op.same_dim(5, operand, d, result, dimensions[static_cast<size_t>(d)]);
    }
  }
  broadcast_scales(op, operand, result, dimensions);
}

// What output_dimensions hold, where a constant says so.
void verify_output_dimensions(const OpVerifier& op, const Axes& sizes) {
  has_sizes(op, 7, sizes);
  const NamedValue operand = op.operand(0, "operand");
  const Axes dimensions = op.axes("broadcast_dimensions");
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t size = operand.dim(d), to = dimensions[static_cast<size_t>(d)];
    if (size == 1) continue;
    op.is(5, str("dim(operand, ", d, ")"), size, sizes[static_cast<size_t>(to)]);
  }
}

}  // namespace

void verify_broadcast_in_dim(const OpVerifier& op) {
  verify_broadcast_axes(op);
  op.known_shape(op.result(), true);
}

void verify_dynamic_broadcast_in_dim(const OpVerifier& op) {
  verify_broadcast_axes(op);
  const NamedValue operand = op.operand(0, "operand"), shape = op.operand(1, "output_dimensions");
  if (shape.rank() == 1) op.is(7, "size(output_dimensions)", shape.dim(0), op.result().rank());
  if (const auto sizes = op.constant(1)) verify_output_dimensions(op, *sizes);
  const Axes expanding = op.axes("known_expanding_dimensions", {}),
             other = op.axes("known_nonexpanding_dimensions", {});
  Axes known = expanding;
  known.insert(known.end(), other.begin(), other.end());
  op.unique(8, "known_expanding_dimensions + known_nonexpanding_dimensions", known);
  op.in_range(9, "known_expanding_dimensions", expanding, operand.rank());
  op.in_range(10, "known_nonexpanding_dimensions", other, operand.rank());
}

namespace {

// The number of elements of axes [begin, end); dynamic_size where a size is not known.
int64_t product(const NamedValue& value, int64_t begin, int64_t end) {
  int64_t count = 1;
  for (int64_t i = begin; i < end; ++i) {
    if (value.dim(i) == 0) return 0;
    const bool unknown = value.dim(i) == dynamic_size || count == dynamic_size ||
                         __builtin_mul_overflow(count, value.dim(i), &count);
    if (unknown) count = dynamic_size;
  }
  return count;
}

}  // namespace

namespace {

void verify_reshaped(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  same_but_axis(op, operand, result, false);
  op.is(2, "size(result)", product(result, 0, result.rank()), product(operand, 0, operand.rank()));
  int64_t from = 0, to = 0;
  if (!quantized_axes(operand, result, from, to)) return;
  op.is(3, "elements of the axes before the quantized one", product(result, 0, to),
        product(operand, 0, from));
  op.same_dim(3, result, to, operand, from);
  op.is(3, "elements of the axes after the quantized one", product(result, to + 1, result.rank()),
        product(operand, from + 1, operand.rank()));
}

}  // namespace

void verify_reshape(const OpVerifier& op) {
  verify_reshaped(op);
  op.known_shape(op.result(), true);
}

void verify_dynamic_reshape(const OpVerifier& op) {
  verify_reshaped(op);
  const NamedValue shape = op.operand(1, "output_shape"), operand = op.operand(0, "operand");
  op.is(4, "size(output_shape)", shape.dim(0), op.result().rank());
  const auto sizes = op.constant(1);
  if (!sizes) return;
  has_sizes(op, 4, *sizes);
  int64_t count = 1;
  bool fits = true;
  for (int64_t size : *sizes) fits = fits && !__builtin_mul_overflow(count, size, &count);
  if (fits) op.is(2, "size(operand)", product(operand, 0, operand.rank()), count);
}

void verify_transpose(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const Axes permutation = op.axes("permutation");
  same_but_axis(op, operand, result, false);
  op.size_is(2, "permutation", permutation.size(), operand.rank());
  op.in_range(2, "permutation", permutation, operand.rank());
  op.unique(2, "permutation", permutation);
  Axes wanted;
  for (int64_t axis : permutation) wanted.push_back(operand.dim(axis));
  op.shape_is(3, result, wanted);
  int64_t from = 0, to = 0;
  if (!quantized_axes(operand, result, from, to)) return;
  op.is(4, "quantization_dimension(operand)", from, permutation[static_cast<size_t>(to)]);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
