// The shape rule of custom_call: its results are what the caller asks for, in the order in which
// the function has them.
#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// Each layout names every axis of its array once.
void check_layouts(const InferInput& input, std::string_view name, const std::vector<Axes>& layouts,
                   std::span<const Type> types) {
  check_size(input, "custom_call_c1", name, layouts.size(), static_cast<int64_t>(types.size()));
  for (size_t i = 0; i < layouts.size(); ++i) {
    Axes sorted = layouts[i];
    std::sort(sorted.begin(), sorted.end());
    if (sorted == axes_from(0, types[i].shape.rank())) continue;
    raise_constraint(input, "custom_call_c2",
                     str(name, "[", i, "] is [", join(layouts[i]), "] of ", to_string(types[i])),
                     "each axis once");
  }
}

void check_aliases(const InferInput& input, const CustomCallAttributes& a) {
  Axes results;
  for (const auto& [result, operand] : a.output_operand_aliases) {
    check_range(input, "custom_call_i4", "output_operand_aliases", {result},
                static_cast<int64_t>(input.requested.size()));
    check_range(input, "custom_call_i4", "output_operand_aliases", {operand},
                static_cast<int64_t>(input.operands.size()));
    const auto to = static_cast<size_t>(result), from = static_cast<size_t>(operand);
    check_same_type(input, "custom_call_i4", input.requested[to], input.operands[from]);
    if (a.result_layouts[to] != a.operand_layouts[from]) {
      raise_constraint(input, "custom_call_i4",
                       str("operand ", operand, " and result ", result, " share memory"),
                       "the same layout");
    }
    results.push_back(result);
  }
  check_unique(input, "custom_call_i4", "output_operand_aliases", results);
}

}  // namespace

std::vector<Type> infer_custom_call(const InferInput& input) {
  const auto& a = attributes_of<CustomCallAttributes>(input);
  check_layouts(input, "operand_layouts", a.operand_layouts, input.operands);
  check_layouts(input, "result_layouts", a.result_layouts, input.requested);
  check_aliases(input, a);
  return {input.requested.begin(), input.requested.end()};
}

}  // namespace ir
}  // namespace systolic::inline v0
