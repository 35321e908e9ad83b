#include <array>
#include <string>
#include <string_view>

#include "backends/cpu/kernels/tile/tile_kernels.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr std::array<std::string_view, tile_op_count> op_names = {
    "abs",
    "add",
    "and",
    "atan2",
    "cbrt",
    "ceil",
    "clamp",
    "cosine",
    "count_leading_zeros",
    "divide",
    "erf",
    "exponential",
    "exponential_minus_one",
    "floor",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
};
constexpr std::array<std::string_view, 6> directions = {"eq", "ne", "ge", "gt", "le", "lt"};
constexpr std::array<std::string_view, pair_inner_count> inner_names = {"add", "subtract",
                                                                        "multiply", "divide"};
constexpr std::array<std::string_view, pair_outer_count> outer_names = {
    "add", "subtract", "subtract_from", "multiply", "divide", "divide_into", "maximum", "minimum"};

}  // namespace

std::string name_of(TileCode code) {
  const int value = static_cast<int>(code);
  const auto from = [&](TileCode base) { return value - static_cast<int>(base); };
  if (value < tile_op_count) return std::string(op_names[value]);
  if (code < TileCode::compare_total) return str("compare_", directions[from(TileCode::compare)]);
  if (code < TileCode::compare_select) {
    return str("compare_total_", directions[from(TileCode::compare_total)]);
  }
  if (code < TileCode::convert) {
    return str("compare_select_", directions[from(TileCode::compare_select)]);
  }
  switch (code) {
    case TileCode::convert:
      return "convert";
    case TileCode::bitcast:
      return "bitcast";
    case TileCode::reduce_precision:
      return "reduce_precision";
    case TileCode::round_to:
      return "round_to";
    case TileCode::lerp:
      return "lerp";
    case TileCode::square_lerp:
      return "square_lerp";
    case TileCode::subtract_multiply_divide:
      return "subtract_multiply_divide";
    case TileCode::subtract_divide_root:
      return "subtract_divide_root";
    case TileCode::adam:
      return "adam";
    case TileCode::sqrt_add:
      return "sqrt_add";
    case TileCode::multiply_erf:
      return "multiply_erf";
    case TileCode::gelu:
      return "gelu";
    case TileCode::add_gelu:
      return "add_gelu";
    case TileCode::gelu_gradient:
      return "gelu_gradient";
    case TileCode::select_product:
      return "select_product";
    case TileCode::keep_product:
      return "keep_product";
    case TileCode::square:
      return "square";
    case TileCode::polynomial:
      return "polynomial";
    case TileCode::rotate_left:
      return "rotate_left";
    case TileCode::within:
      return "within";
    case TileCode::from_the_end:
      return "from_the_end";
    default:
      break;
  }
  const int offset = from(TileCode::pair);
  return str(inner_names[offset / pair_outer_count], "_", outer_names[offset % pair_outer_count]);
}

}  // namespace kernels
}  // namespace systolic::inline v0
