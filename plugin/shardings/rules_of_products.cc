// Rules of ops that sum over axes of two arrays.
#include "plugin/shardings/rule_builder.h"
#include "systolic/stablehlo/convolution_numbers.h"

namespace systolic::inline v0 {
namespace plugin {

namespace {

struct ProductAxes {
  std::vector<int64_t> left_batch, right_batch, left_summed, right_summed;
};

void product_rule(RuleBuilder& rule, const ProductAxes& axes) {
  int out = 0;
  for (size_t i = 0; i < axes.left_batch.size(); ++i) {
    const int64_t left = axes.left_batch[i];
    rule.factor(rule.operand(0).at(static_cast<size_t>(left)),
                {static_cast<int>(left), static_cast<int>(axes.right_batch.at(i)), out++});
  }
  for (size_t side = 0; side < 2; ++side) {
    const auto& batch = side == 0 ? axes.left_batch : axes.right_batch;
    const auto& summed = side == 0 ? axes.left_summed : axes.right_summed;
    for (size_t i = 0; i < rule.operand(side).size(); ++i) {
      const auto axis = static_cast<int64_t>(i);
      if (contains(batch, axis) || contains(summed, axis)) continue;
      std::vector<int> of = {no_axis, no_axis, out++};
      of[side] = static_cast<int>(i);
      rule.factor(rule.operand(side)[i], std::move(of));
    }
  }
  for (size_t i = 0; i < axes.left_summed.size(); ++i) {
    const int64_t left = axes.left_summed[i];
    rule.factor(rule.operand(0).at(static_cast<size_t>(left)),
                {static_cast<int>(left), static_cast<int>(axes.right_summed.at(i)), no_axis},
                false);
  }
}

}  // namespace

void dot_rule(RuleBuilder& rule) {
  product_rule(rule, {.left_batch = {},
                      .right_batch = {},
                      .left_summed = {static_cast<int64_t>(rule.operand(0).size()) - 1},
                      .right_summed = {0}});
}

void dot_general_rule(RuleBuilder& rule) {
  constexpr const char* numbers = "dot_dimension_numbers";
  product_rule(rule, {.left_batch = rule.axes(numbers, "lhs_batching_dimensions"),
                      .right_batch = rule.axes(numbers, "rhs_batching_dimensions"),
                      .left_summed = rule.axes(numbers, "lhs_contracting_dimensions"),
                      .right_summed = rule.axes(numbers, "rhs_contracting_dimensions")});
}

// An axis of the pictures is cut by windows, and where the kernel is larger by its places; with
// groups, the kernel's output features and those of the result are groups first.
void convolution_rule(RuleBuilder& rule) {
  const stablehlo::Attribute* numbers = rule.op().find("dimension_numbers");
  if (numbers == nullptr) return;
  const auto [input, kernel, output] =
      stablehlo::read_convolution_numbers(rule.program(), *numbers);
  const auto at = [](const std::vector<int64_t>& shape, int64_t axis) {
    return shape.at(static_cast<size_t>(axis));
  };
  const auto axis = [](int64_t i) { return static_cast<int>(i); };
  const std::vector<int64_t>&x = rule.operand(0), &w = rule.operand(1), &y = rule.result();
  const int64_t batches = rule.integer("batch_group_count", 1);
  const int64_t features = rule.integer("feature_group_count", 1);
  if (batches > 1) {
    rule.factor(batches, {axis(input.first), axis(kernel.second), axis(output.second)});
  }
  rule.factor(at(y, output.first), {axis(input.first), no_axis, axis(output.first)});
  for (size_t i = 0; i < input.spatial.size(); ++i) {
    const int64_t windows = at(y, output.spatial.at(i)), places = at(w, kernel.spatial.at(i));
    int64_t left = at(x, input.spatial[i]);
    for (const bool summed : {windows < places, windows >= places}) {
      const int64_t size = std::min(left, summed ? places : windows);
      if (size <= 1) continue;
      rule.factor(size,
                  {axis(input.spatial[i]), summed ? axis(kernel.spatial[i]) : no_axis,
                   summed ? no_axis : axis(output.spatial[i])},
                  false);
      left /= size;
    }
  }
  if (features > 1) {
    rule.factor(features, {axis(input.second), axis(kernel.second), axis(output.second)});
  }
  rule.factor(at(w, kernel.first), {axis(input.second), axis(kernel.first), no_axis}, false);
  const int64_t made = at(y, output.second) / (batches * features);
  if (made > 1) rule.factor(made, {no_axis, axis(kernel.second), axis(output.second)});
}

}  // namespace plugin
}  // namespace systolic::inline v0
