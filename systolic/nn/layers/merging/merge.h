// Several inputs as one, element by element: Add, Subtract, Multiply, Average, Maximum and Minimum
// (keras.layers). One template, and a row of a table for each.
//
//   Symbol z = Add{}({x, y});
//
// Shapes are the same, or broadcast; an input with fewer axes gets axes of size 1 after the batch:
// [batch, 3] beside [batch, 4, 3] is [batch, 1, 3]. Two inputs or more, for Subtract precisely two,
// all of one type; else an InvalidArgument. A step of the result is real where it is in one of the
// inputs (nn/step_mask.h).
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

// Each merge, its kind of layer, and what it makes of xs, the inputs.
// clang-format off
#define SYSTOLIC_MERGES(merge)                                          \
  merge(add, "Add", merged(xs, systolic::add))                          \
  merge(subtract, "Subtract", difference(xs))                           \
  merge(multiply, "Multiply", product(xs))                              \
  merge(average, "Average", mean_of_inputs(xs))                             \
  merge(maximum, "Maximum", merged_real_steps(xs, systolic::maximum))   \
  merge(minimum, "Minimum", merged_real_steps(xs, systolic::minimum))
// clang-format on

namespace systolic::inline v0 {

#define SYSTOLIC_MERGE(name, kind, result) name,
#define SYSTOLIC_MERGE_KIND(name, kind, result) kind,
enum class Merge { SYSTOLIC_MERGES(SYSTOLIC_MERGE) };
// Their names in configurations, in the order of Merge.
inline constexpr const char* merging_kinds[] = {SYSTOLIC_MERGES(SYSTOLIC_MERGE_KIND)};

// A layer of two inputs or more that makes one of them: `merge` says how.
template <Merge merge>
struct Merging {
  static constexpr const char* kind = merging_kinds[static_cast<int>(merge)];
  static constexpr LayerTraits traits = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  template <class Self = Merging>
  static constexpr auto fields() {
    return common_fields<Self>();
  }
};

using Add = Merging<Merge::add>;
using Subtract = Merging<Merge::subtract>;
using Multiply = Merging<Merge::multiply>;
using Average = Merging<Merge::average>;
using Maximum = Merging<Merge::maximum>;
using Minimum = Merging<Merge::minimum>;

extern template Layer::Layer(Add);
extern template Layer::Layer(Subtract);
extern template Layer::Layer(Multiply);
extern template Layer::Layer(Average);
extern template Layer::Layer(Maximum);
extern template Layer::Layer(Minimum);

}  // namespace systolic::inline v0
