#include "systolic/stablehlo/quantize.h"

#include <array>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/stablehlo/narrow.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

DType dtype_of_element(ElementType element) {
  if (const std::optional<DType> dtype = held_in(element)) return *dtype;
  raise<Unimplemented>({.what = str("quantized arrays with elements of ", info(element).name)});
}

// The numbers along the quantized axis, or the one number, as an array like x.
ir::Value along_axis(ir::Value x, const Quantization& q, const std::vector<double>& numbers) {
  ir::Builder& b = x.builder();
  if (!q.axis) return b.filled_like(x, numbers[0]);
  const int64_t axis = *q.axis;
  const auto count = static_cast<int64_t>(numbers.size());
  if (axis < 0 || axis >= x.rank() || x.shape()[static_cast<int>(axis)] != count) {
    raise<InvalidArgument>(
        {.what = str("axis ", axis, " of ", to_string(x.type()), " has ", count, " scales"),
         .wanted = "one for each of its elements",
         .location = b.location});
  }
  const ir::Value constant = b.constant(Literal::from(numbers, Shape{count}).convert(x.dtype()));
  return ir::broadcast_in_dim(constant, x.shape(), {axis});
}

std::vector<double> zero_points(const Quantization& q) {
  return {q.zero_points.begin(), q.zero_points.end()};
}

std::pair<double, double> storage_range(const Quantization& q) {
  if (q.names_range) {
    return {static_cast<double>(q.storage_min), static_cast<double>(q.storage_max)};
  }
  constexpr std::pair<ElementType, std::pair<double, double>> ranges[] = {
      {ElementType::i2, {-2, 1}},
      {ElementType::i4, {-8, 7}},
      {ElementType::i8, {-128, 127}},
      {ElementType::i16, {-32768, 32767}},
      {ElementType::i32, {-2147483648.0, 2147483647.0}},
      {ElementType::ui2, {0, 3}},
      {ElementType::ui4, {0, 15}},
      {ElementType::ui8, {0, 255}},
      {ElementType::ui16, {0, 65535}},
      {ElementType::ui32, {0, 4294967295.0}},
  };
  for (const auto& [element, range] : ranges) {
    if (element == q.storage) return range;
  }
  raise<Unimplemented>({.what = str("quantized arrays stored as ", info(q.storage).name)});
}

}  // namespace

bool computes_with_numbers(std::string_view op) {
  constexpr std::string_view dialect = "stablehlo.", chlo = "chlo.";
  if (op.substr(0, chlo.size()) == chlo) return true;
  if (op.substr(0, dialect.size()) != dialect) return false;
  op.remove_prefix(dialect.size());
  for (int i = 0; i < ir::op_count; ++i) {
    const ir::OpInfo& row = ir::info(static_cast<ir::OpCode>(i));
    if (row.name != op) continue;
    const bool elementwise =
        row.family == ir::OpFamily::unary || row.family == ir::OpFamily::binary;
    return elementwise || row.family == ir::OpFamily::contraction ||
           row.code == ir::OpCode::clamp || row.code == ir::OpCode::reduce_precision;
  }
  constexpr std::string_view others[] = {"uniform_quantize",
                                         "uniform_dequantize",
                                         "dot",
                                         "dynamic_conv",
                                         "cholesky",
                                         "triangular_solve",
                                         "batch_norm_inference",
                                         "batch_norm_training",
                                         "batch_norm_grad"};
  for (std::string_view other : others) {
    if (other == op) return true;
  }
  return false;
}

ir::Value dequantize(ir::Value stored, const Quantization& q) {
  const ir::Value x = ir::convert(stored, dtype_of_element(q.expressed));
  return (x - along_axis(x, q, zero_points(q))) * along_axis(x, q, q.scales);
}

ir::Value quantize(ir::Value x, const Quantization& q) {
  ir::Builder& b = x.builder();
  const ir::Value scaled = x / along_axis(x, q, q.scales) + along_axis(x, q, zero_points(q));
  const auto [lowest, highest] = storage_range(q);
  const ir::Value low = b.filled(x.dtype(), {}, lowest), high = b.filled(x.dtype(), {}, highest);
  const ir::Value rounded = ir::unary(ir::OpCode::round_nearest_even, ir::clamp(low, scaled, high));
  return ir::convert(rounded, dtype_of_element(q.storage));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
