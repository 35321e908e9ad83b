// What a metric keeps between batches: totals on the device, summed over the cores, in f32 or f64.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

class MetricState {
 public:
  // Any other type is an InvalidArgument.
  explicit MetricState(std::string name, DType dtype = DType::f32);

  // The total of that name, zeros when it is first asked for.
  Variable total(std::string_view name, const Shape& shape = {});
  // The total of that name, none before the first update.
  std::optional<Variable> find(std::string_view name) const;
  // total(name) += increment; inside strategy.run the cores' increments are added up.
  void add(std::string_view name, const Tensor& increment);
  // 0 in every total.
  void reset();
  std::vector<Variable> variables() const;

 private:
  std::string name_;
  DType dtype_;
  std::vector<std::pair<std::string, Variable>> totals_;
};

}  // namespace systolic::inline v0
