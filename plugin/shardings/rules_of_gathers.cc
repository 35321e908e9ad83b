// Rules of gather and scatter, which read and write slices at places that an array names.
#include <algorithm>

#include "plugin/shardings/rule_builder.h"

namespace systolic::inline v0 {
namespace plugin {

namespace {

// What gather calls its operand and result, scatter its inputs and updates.
struct Slices {
  std::vector<int64_t> window;         // axes of the slices that are axes of the array
  std::vector<int64_t> dropped;        // axes of the array of which a slice has one place
  std::vector<int64_t> batch;          // axes of the array that go along with the indices'
  std::vector<int64_t> indices_batch;  // those of the indices
  int64_t index_axis = 0;
};

// Calls add(axis of the array, of the indices, of the slices, size, passes).
template <typename Add>
void slice_factors(const Slices& s, const std::vector<int64_t>& array,
                   const std::vector<int64_t>& slices, const Add& add) {
  int64_t axis = 0, batches = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (contains(s.window, at)) {
      while (contains(s.dropped, axis) || contains(s.batch, axis)) ++axis;
      if (array.at(static_cast<size_t>(axis)) == slices[i]) add(axis, no_axis, at, slices[i], true);
      ++axis;
      continue;
    }
    const int64_t of_indices = batches < s.index_axis ? batches : batches + 1;
    const auto together = std::find(s.indices_batch.begin(), s.indices_batch.end(), of_indices);
    const bool explicit_batch = together != s.indices_batch.end();
    const int64_t of_array =
        explicit_batch ? s.batch.at(static_cast<size_t>(together - s.indices_batch.begin()))
                       : int64_t{no_axis};
    add(of_array, of_indices, at, slices[i], explicit_batch);
    ++batches;
  }
}

}  // namespace

void gather_rule(RuleBuilder& rule) {
  constexpr const char* numbers = "dimension_numbers";
  const Slices slices{.window = rule.axes(numbers, "offset_dims"),
                      .dropped = rule.axes(numbers, "collapsed_slice_dims"),
                      .batch = rule.axes(numbers, "operand_batching_dims"),
                      .indices_batch = rule.axes(numbers, "start_indices_batching_dims"),
                      .index_axis = rule.integer(numbers, "index_vector_dim", 0)};
  slice_factors(slices, rule.operand(0), rule.result(),
                [&](int64_t array, int64_t indices, int64_t result, int64_t size, bool) {
                  rule.factor(size, {static_cast<int>(array), static_cast<int>(indices),
                                     static_cast<int>(result)});
                });
}

// Where an axis is written at places, the array keeps its cut, and the updates have none of it.
void scatter_rule(RuleBuilder& rule) {
  constexpr const char* numbers = "scatter_dimension_numbers";
  const Slices slices{.window = rule.axes(numbers, "update_window_dims"),
                      .dropped = rule.axes(numbers, "inserted_window_dims"),
                      .batch = rule.axes(numbers, "input_batching_dims"),
                      .indices_batch = rule.axes(numbers, "scatter_indices_batching_dims"),
                      .index_axis = rule.integer(numbers, "index_vector_dim", 0)};
  const size_t inputs = rule.sizes.results.size();
  if (rule.sizes.operands.size() != 2 * inputs + 1) return;
  const auto add = [&](int64_t array, int64_t indices, int64_t update, int64_t size, bool passes) {
    std::vector<int> axes(inputs, static_cast<int>(array));
    axes.push_back(static_cast<int>(indices));
    axes.insert(axes.end(), inputs, static_cast<int>(update));
    axes.insert(axes.end(), inputs, static_cast<int>(array));
    rule.factor(size, std::move(axes), passes);
  };
  slice_factors(slices, rule.operand(0), rule.operand(inputs + 1), add);
  for (int64_t axis : slices.dropped) {
    add(axis, no_axis, no_axis, rule.operand(0).at(static_cast<size_t>(axis)), true);
  }
}

}  // namespace plugin
}  // namespace systolic::inline v0
