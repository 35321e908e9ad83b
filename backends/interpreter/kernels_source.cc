#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace interpreter {

std::vector<Literal> run_constant(const Call& call) {
  return {call.op.get<ir::ConstantAttributes>().value};
}

std::vector<Literal> run_iota(const Call& call) {
  const auto axis = static_cast<size_t>(call.op.get<ir::IotaAttributes>().dimension);
  Literal numbers(DType::i64, call.result().shape);
  size_t position = 0;
  const auto out = numbers.mutable_data<int64_t>();
  for_each_index(numbers.shape(), [&](const Index& index) { out[position++] = index[axis]; });
  return {numbers.convert(call.result().dtype)};
}

}  // namespace interpreter
}  // namespace systolic::inline v0
