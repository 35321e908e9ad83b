#include "systolic/nn/optimizers/schedules/piecewise_constant_decay.h"

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor PiecewiseConstantDecay::operator()(const Tensor& step) const {
  const std::vector<int64_t>& ends = boundaries;
  const std::vector<double>& rates = values;
  if (rates.size() != ends.size() + 1) {
    raise<InvalidArgument>({.what = str("PiecewiseConstantDecay: ", ends.size(), " boundaries and ",
                                        rates.size(), " values"),
                            .wanted = "one value more than boundaries"});
  }
  for (const double one : rates) check_learning_rate("PiecewiseConstantDecay", "a value", one);
  Tensor rate = constant(static_cast<float>(rates.back()));
  for (size_t i = ends.size(); i-- > 0;) {
    rate = where(step <= static_cast<double>(ends[i]), rates[i], rate);
  }
  return rate;
}

}  // namespace systolic::inline v0
