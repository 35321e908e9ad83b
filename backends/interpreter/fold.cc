#include "backends/interpreter/fold.h"

#include "backends/interpreter/elements.h"
#include "backends/interpreter/scalar.h"

namespace systolic::inline v0 {
namespace interpreter {

std::optional<ir::OpCode> single_op(const ir::Block& region) {
  if (region.arguments.size() != 2 || region.ops.size() != 1) return std::nullopt;
  const ir::Op& op = region.ops[0];
  const bool folds = ir::info(op.code).family == ir::OpFamily::binary &&
                     op.code != ir::OpCode::compare && op.code != ir::OpCode::complex;
  if (!folds || op.operands != region.arguments || region.results != op.results) {
    return std::nullopt;
  }
  return op.code;
}

Fold::Fold(const Call& call, size_t region)
    : call_(call), region_(region), code_(single_op(call.op.regions[region])) {}

void Fold::apply(std::span<Literal> state, std::span<const Literal> values,
                 int64_t position) const {
  apply_at(state, 0, values, position);
}

void Fold::apply_at(std::span<Literal> arrays, int64_t at, std::span<const Literal> values,
                    int64_t position) const {
  const DType dtype = arrays[0].dtype();
  const bool four_bits = dtype == DType::i4 || dtype == DType::u4;
  if (code_ && values[0].dtype() == dtype && !four_bits) {
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto& left = arrays[0].mutable_data<T>()[static_cast<size_t>(at)];
      left = apply_binary<T>(*code_, left, values[0].data<T>()[static_cast<size_t>(position)]);
    });
    return;
  }
  std::vector<Literal> arguments;
  for (const Literal& array : arrays) arguments.push_back(element(array, at));
  for (size_t i = 0; i < values.size(); ++i) {
    // The region may fold in a wider type than the array's.
    arguments.push_back(element(values[i], position).convert(arrays[i].dtype()));
  }
  const std::vector<Literal> results = call_.run(region_, arguments);
  for (size_t i = 0; i < arrays.size(); ++i) copy_element(results[i], 0, arrays[i], at);
}

}  // namespace interpreter
}  // namespace systolic::inline v0
