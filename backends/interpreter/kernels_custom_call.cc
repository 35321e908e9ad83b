// Calls of functions that are not ours.
#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

// Copies between row-major order and that of a layout: `visit(row_major, laid_out)` for every
// element's two positions.
template <class Visit>
void for_each_pair(const Shape& shape, const ir::Axes& layout, Visit&& visit) {
  const ir::Axes order = order_of_layout(layout);
  Shape laid_out = shape;
  for (size_t i = 0; i < order.size(); ++i) {
    laid_out.set(static_cast<int>(i), shape[static_cast<int>(order[i])]);
  }
  for_each_index(shape, [&](const Index& index) {
    Index there(index.size());
    for (size_t i = 0; i < order.size(); ++i) there[i] = index[static_cast<size_t>(order[i])];
    visit(offset_of(shape, index), offset_of(laid_out, there));
  });
}

Literal laid_out(const Literal& x, const ir::Axes& layout) {
  Literal result(x.dtype(), x.shape());
  for_each_pair(x.shape(), layout,
                [&](int64_t from, int64_t to) { copy_element(x, from, result, to); });
  return result;
}

Literal row_major(const Literal& x, const ir::Axes& layout) {
  Literal result(x.dtype(), x.shape());
  for_each_pair(x.shape(), layout,
                [&](int64_t to, int64_t from) { copy_element(x, from, result, to); });
  return result;
}

std::vector<CustomArray> arrays(std::vector<Literal>& literals) {
  std::vector<CustomArray> result;
  for (Literal& literal : literals) {
    result.push_back({{literal.dtype(), literal.shape()}, literal.mutable_raw()});
  }
  return result;
}

}  // namespace

std::vector<Literal> run_custom_call(const Call& call) {
  const auto& attributes = call.op.get<ir::CustomCallAttributes>();
  const auto function = make_custom_function(attributes);
  std::vector<Literal> operands, results;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    operands.push_back(laid_out(call.operand(i), attributes.operand_layouts[i]));
  }
  for (const ir::Type& type : call.results)
    results.push_back(Literal::zeros(type.dtype, type.shape));
  std::vector<CustomArray> given = arrays(operands);
  const std::vector<CustomArray> written = arrays(results);
  for (const auto& [result, operand] : attributes.output_operand_aliases) {
    const CustomArray& to = written[static_cast<size_t>(result)];
    CustomArray& from = given[static_cast<size_t>(operand)];
    std::memcpy(to.data, from.data, static_cast<size_t>(from.type.bytes()));
    from.data = to.data;
  }
  function->run(given, written);
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = row_major(results[i], attributes.result_layouts[i]);
  }
  return results;
}

}  // namespace interpreter
}  // namespace systolic::inline v0
