#include "systolic/trace/ops/slice_update.h"

#include "systolic/trace/operand.h"

namespace systolic::inline v0 {

Tensor slice_update(const Tensor& x, const std::vector<Operand>& starts, const Tensor& update,
                    SourceLocation at) {
  Trace& trace = Trace::current();
  trace.at(at);
  const ir::Value into = trace.value_of(x, at), values = trace.value_of(update, at);
  std::vector<ir::Value> places;
  for (const Operand& start : starts) {
    const ir::Value place = operand_value(trace, start, nullptr);
    places.push_back(is_integer(place.dtype()) ? ir::convert(place, DType::i32) : place);
  }
  trace.at(at);
  return wrap(ir::dynamic_update_slice(into, values, places));
}

}  // namespace systolic::inline v0
