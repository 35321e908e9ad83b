// Rules in which an axis is several factors.
#include <map>
#include <numeric>
#include <string>

#include "plugin/shardings/rule_builder.h"
#include "systolic/stablehlo/text_reader.h"

namespace systolic::inline v0 {
namespace plugin {

namespace {

// The axes of one side, major first: how many elements those walked over have, and how many of
// these have become factors.
class Side {
 public:
  explicit Side(const std::vector<int64_t>& shape) : shape_(shape) {}
  // Makes the next axis the one at hand, where the last one has become factors. Axes of one
  // element cut nothing.
  void advance() {
    if (factored_ != walked_) return;
    while (next_ < shape_.size() && shape_[next_] == 1) ++next_;
    if (next_ < shape_.size()) walked_ *= shape_[next_++];
  }
  bool at_end() const { return factored_ == walked_; }
  int axis() const { return static_cast<int>(next_) - 1; }
  int64_t left() const { return walked_ / factored_; }
  int64_t factored() const { return factored_; }
  void factor(int64_t size) { factored_ *= size; }

 private:
  const std::vector<int64_t>& shape_;
  size_t next_ = 0;
  int64_t walked_ = 1, factored_ = 1;
};

// What one side takes by itself to come as far as the other; both, if nothing divides.
int64_t step_alone(const Side& lagging, const Side& ahead) {
  const int64_t gap = ahead.factored() % lagging.factored() == 0
                          ? ahead.factored() / lagging.factored()
                          : int64_t{0};
  if (gap > 1 && lagging.left() % gap == 0) return gap;
  const int64_t shared = std::gcd(lagging.left(), ahead.left());
  return lagging.left() > shared ? lagging.left() / shared : lagging.left();
}

}  // namespace

// [6, 4] as [3, 8]: of 6 the 3 is common; then [2, 4] is 8 in one axis and two factors in another.
void reshape_rule(RuleBuilder& rule) {
  for (int64_t size : rule.result()) {
    if (size == 0) return;
  }
  Side from(rule.operand(0)), to(rule.result());
  while (true) {
    from.advance();
    to.advance();
    if (from.at_end() && to.at_end()) return;
    if (from.factored() == to.factored()) {
      const int64_t shared = std::gcd(from.left(), to.left());
      if (shared > 1) {
        rule.pair(shared, from.axis(), to.axis());
        from.factor(shared);
        to.factor(shared);
        continue;
      }
      rule.pair(from.left(), from.axis(), no_axis);
      from.factor(from.left());
      rule.pair(to.left(), no_axis, to.axis());
      to.factor(to.left());
      continue;
    }
    const bool first = from.factored() < to.factored();
    Side& lagging = first ? from : to;
    if (lagging.at_end()) return;
    const int64_t size = step_alone(lagging, first ? to : from);
    rule.pair(size, first ? from.axis() : no_axis, first ? no_axis : to.axis());
    lagging.factor(size);
  }
}

namespace {

using FactorAxes = std::map<std::string, std::vector<int>, std::less<>>;

// ([i, jk], [k]): the axes of each array as names of factors, letters with a number after them.
void read_arrays(stablehlo::TextReader& text, size_t first, size_t count, FactorAxes& factors,
                 size_t arrays) {
  text.expect("(");
  for (size_t array = first; array < first + count; ++array) {
    if (array > first) text.expect(",");
    text.expect("[");
    for (int axis = 0; !text.accept("]"); ++axis) {
      if (axis > 0) text.expect(",");
      const std::string_view names = text.word();
      for (size_t at = 0; at < names.size();) {
        size_t end = at + 1;
        if (end < names.size() && names[end] == '_') {
          do ++end;
          while (end < names.size() && names[end] >= '0' && names[end] <= '9');
        }
        std::vector<int>& axes = factors[std::string(names.substr(at, end - at))];
        axes.resize(arrays, no_axis);
        axes[array] = axis;
        at = end;
      }
    }
  }
  text.expect(")");
}

}  // namespace

// <([i, j])->([i, k]) {i=8, j=4, k=4}, custom>
void written_rule(RuleBuilder& rule, const stablehlo::Attribute& attribute) {
  stablehlo::TextReader text(rule.program(), attribute.text, attribute.offset, "the sharding rule");
  text.accept("#sdy.op_sharding_rule");
  text.expect("<");
  FactorAxes factors;
  const size_t operands = rule.sizes.operands.size(), results = rule.sizes.results.size();
  read_arrays(text, 0, operands, factors, operands + results);
  text.expect("->");
  read_arrays(text, operands, results, factors, operands + results);
  text.expect("{");
  do {
    const std::string name(text.word());
    text.expect("=");
    const int64_t size = text.integer();
    const auto found = factors.find(name);
    if (found != factors.end()) rule.factor(size, found->second);
  } while (text.accept(","));
}

}  // namespace plugin
}  // namespace systolic::inline v0
