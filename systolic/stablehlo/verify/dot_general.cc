#include <algorithm>

#include "systolic/stablehlo/verify/families.h"
#include "systolic/stablehlo/verify/gather_axes.h"
#include "systolic/stablehlo/verify/quantized_product.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

struct Side {
  NamedValue value;
  Axes batching, contracting;
  std::string batching_name, contracting_name;
};

Side side_of(const OpVerifier& op, size_t operand, std::string_view name) {
  const Attribute& numbers = op.required("dot_dimension_numbers");
  Side side{op.operand(operand, name),
            {},
            {},
            str(name, "_batching_dimensions"),
            str(name, "_contracting_dimensions")};
  side.batching = op.field_axes(numbers, side.batching_name);
  side.contracting = op.field_axes(numbers, side.contracting_name);
  return side;
}

void verify_axes(const OpVerifier& op, const Side& lhs, const Side& rhs) {
  op.size_is(1, rhs.batching_name, rhs.batching.size(), static_cast<int64_t>(lhs.batching.size()));
  op.size_is(2, rhs.contracting_name, rhs.contracting.size(),
             static_cast<int64_t>(lhs.contracting.size()));
  for (int number : {3, 4}) {
    const Side& side = number == 3 ? lhs : rhs;
    op.unique(number, str(side.batching_name, " + ", side.contracting_name),
              joined(side.batching, side.contracting));
  }
  op.in_range(5, lhs.batching_name, lhs.batching, lhs.value.rank());
  op.in_range(6, lhs.contracting_name, lhs.contracting, lhs.value.rank());
  op.in_range(7, rhs.batching_name, rhs.batching, rhs.value.rank());
  op.in_range(8, rhs.contracting_name, rhs.contracting, rhs.value.rank());
}

void append_free_axes(const Side& side, Axes& shape) {
  const Axes taken = joined(side.batching, side.contracting);
  for (int64_t axis = 0; axis < side.value.rank(); ++axis) {
    if (std::find(taken.begin(), taken.end(), axis) == taken.end()) {
      shape.push_back(side.value.dim(axis));
    }
  }
}

void verify_algorithm(const OpVerifier& op) {
  const Attribute* algorithm = op.find("algorithm");
  if (algorithm == nullptr) return;
  if (const Attribute* config = op.find("precision_config")) {
    for (const Attribute& item : config->items) {
      op.require(item.text == "DEFAULT", 21, [&] {
        return Violation{"precision_config beside an algorithm", std::string(item.text), "DEFAULT"};
      });
    }
  }
  constexpr std::string_view counts[] = {"lhs_component_count", "rhs_component_count",
                                         "num_primitive_operations"};
  for (size_t i = 0; i < 3; ++i) {
    if (find(algorithm->fields, counts[i]) == nullptr) continue;
    op.at_least(22 + static_cast<int>(i), counts[i], {op.field_integer(*algorithm, counts[i])}, 1);
  }
}

void verify_quantized(const OpVerifier& op, const Side& rhs) {
  if (const auto& quantization = rhs.value.type->quantization) {
    for (int64_t zero_point : quantization->zero_points) {
      op.require(zero_point == 0, 15, [&] {
        return Violation{"zero_points(rhs)", str(zero_point), "0"};
      });
    }
    const Axes& contracted = rhs.contracting;
    const bool free = !quantization->axis || std::find(contracted.begin(), contracted.end(),
                                                       *quantization->axis) == contracted.end();
    op.require(free, 16, [&] {
      return Violation{"quantization_dimension(rhs)", str(*quantization->axis),
                       str("none of rhs_contracting_dimensions [", join(contracted), "]")};
    });
  }
  verify_quantized_product(op, {14, 17, 18, 19, 20});
}

}  // namespace

void verify_dot_general(const OpVerifier& op) {
  const Side lhs = side_of(op, 0, "lhs"), rhs = side_of(op, 1, "rhs");
  verify_axes(op, lhs, rhs);
  for (size_t i = 0; i < lhs.batching.size(); ++i) {
    op.same_dim(9, rhs.value, rhs.batching[i], lhs.value, lhs.batching[i]);
  }
  for (size_t i = 0; i < lhs.contracting.size(); ++i) {
    op.same_dim(10, rhs.value, rhs.contracting[i], lhs.value, lhs.contracting[i]);
  }
  if (const Attribute* config = op.find("precision_config")) {
    if (!config->items.empty()) op.size_is(11, "precision_config", config->items.size(), 2);
  }
  Axes shape;
  for (int64_t axis : lhs.batching) shape.push_back(lhs.value.dim(axis));
  append_free_axes(lhs, shape);
  append_free_axes(rhs, shape);
  op.shape_is(12, op.result(), shape);
  const bool quantized = is_quantized(*lhs.value.type) || is_quantized(*rhs.value.type) ||
                         is_quantized(*op.result().type);
  if (quantized) {
    verify_quantized(op, rhs);
  } else {
    op.same_element(13, rhs.value, lhs.value);
  }
  verify_algorithm(op);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
