// The parts that the rules of ops are built from.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "plugin/shardings/rule.h"

namespace systolic::inline v0 {
namespace plugin {

class RuleBuilder {
 public:
  RuleBuilder(const stablehlo::Program& program, const stablehlo::Operation& op, const Sizes& sizes)
      : sizes(sizes), program_(program), op_(op), rule_{sizes.operands.size()} {}

  // One axis for each array, operands first.
  void factor(int64_t size, std::vector<int> axes, bool passes = true) {
    axes.resize(arrays(), no_axis);
    rule_.factors.push_back({size, std::move(axes), passes});
  }
  // Axes of operand 0 and of result 0.
  void pair(int64_t size, int operand, int result, bool passes = true) {
    std::vector<int> axes(arrays(), no_axis);
    axes[0] = operand;
    axes[rule_.operands] = result;
    factor(size, std::move(axes), passes);
  }
  // The axis has the same number in all arrays of the rank.
  void same(int axis, int64_t size, size_t rank, bool passes = true) {
    std::vector<int> axes;
    for (const auto& each : sizes.operands) axes.push_back(each.size() == rank ? axis : no_axis);
    for (const auto& each : sizes.results) axes.push_back(each.size() == rank ? axis : no_axis);
    factor(size, std::move(axes), passes);
  }

  std::vector<int64_t> axes(std::string_view attribute) const;
  std::vector<int64_t> axes(std::string_view structure, std::string_view field) const;
  int64_t integer(std::string_view attribute, int64_t otherwise) const;
  int64_t integer(std::string_view structure, std::string_view field, int64_t otherwise) const;

  size_t arrays() const { return sizes.operands.size() + sizes.results.size(); }
  const std::vector<int64_t>& operand(size_t i) const { return sizes.operands.at(i); }
  const std::vector<int64_t>& result() const { return sizes.results.at(0); }
  const stablehlo::Operation& op() const { return op_; }
  const stablehlo::Program& program() const { return program_; }
  Rule take() { return std::move(rule_); }

  const Sizes& sizes;

 private:
  const stablehlo::Program& program_;
  const stablehlo::Operation& op_;
  Rule rule_;
};

bool contains(const std::vector<int64_t>& axes, int64_t axis);

void dot_rule(RuleBuilder& rule);
void dot_general_rule(RuleBuilder& rule);
void convolution_rule(RuleBuilder& rule);
void gather_rule(RuleBuilder& rule);
void scatter_rule(RuleBuilder& rule);
void reshape_rule(RuleBuilder& rule);
// As the op's attribute sdy.sharding_rule says.
void written_rule(RuleBuilder& rule, const stablehlo::Attribute& text);

}  // namespace plugin
}  // namespace systolic::inline v0
