#include <algorithm>

#include "systolic/stablehlo/verify/rules/families.h"
#include "systolic/stablehlo/verify/rules/gather_axes.h"
#include "systolic/stablehlo/verify/rules/quantized_product.h"

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

// What lhs, rhs and the sum are rounded to, and how many products make up one.
struct Algorithm {
  std::string_view side, sum;
  int64_t products;
};

// Those that some hardware has, of one component a side; floats of 8 bits besides.
constexpr Algorithm known_algorithms[] = {
    {"f16", "f16", 1},  {"f16", "f32", 1},  {"bf16", "bf16", 1}, {"bf16", "f32", 1},
    {"bf16", "f32", 3}, {"bf16", "f32", 6}, {"bf16", "f32", 9},  {"tf32", "f32", 1},
    {"tf32", "f32", 3}, {"f32", "f32", 1},  {"f64", "f64", 1},
};

bool is_f8(std::string_view type) { return type.substr(0, 2) == "f8" && type != "f8E8M0FNU"; }

// "StableHLO verification will provide best effort verification, preventing algorithms that are
// not known to be supported on *any* hardware" (dot_general, "Semantics").
void verify_known_algorithm(const OpVerifier& op, const Attribute& algorithm) {
  const auto type = [&](std::string_view name) -> std::string_view {
    const Attribute* field = find(algorithm.fields, name);
    if (field == nullptr || field->type == no_type) return "";
    return info(op.program().type(field->type).element).name;
  };
  const auto number = [&](std::string_view name) { return op.field_integer(algorithm, name); };
  const std::string_view lhs = type("lhs_precision_type"), rhs = type("rhs_precision_type"),
                         sum = type("accumulation_type");
  const int64_t products = number("num_primitive_operations");
  const bool imprecise = number("allow_imprecise_accumulation") != 0;
  const bool single = number("lhs_component_count") == 1 && number("rhs_component_count") == 1;
  bool known = is_f8(lhs) && is_f8(rhs) && sum == "f32" && products == 1;
  for (const Algorithm& row : known_algorithms) {
    known = known || (!imprecise && lhs == row.side && rhs == row.side && sum == row.sum &&
                      products == row.products);
  }
  op.require(known && single, 0, [&] {
    return Violation{"algorithm",
                     str(lhs, " times ", rhs, " summed in ", sum, ", ",
                         number("lhs_component_count"), " and ", number("rhs_component_count"),
                         " components, ", products, " products", imprecise ? ", imprecise" : ""),
                     "one that some hardware has, such as bf16 times bf16 summed in f32"};
  });
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
  verify_known_algorithm(op, *algorithm);
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
