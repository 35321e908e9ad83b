// The gradient of sort: sorting moves elements by a permutation that the values decide. Sorting the
// positions along says which; sorting the gradients by those positions moves them back.
#include "systolic/autodiff/clone_live.h"
#include "systolic/autodiff/rules/indexing.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Builder;
using ir::Value;

namespace {

std::vector<Value> operands_of(const GradientRule& r) {
  std::vector<Value> arrays;
  for (size_t i = 0; i < r.operands(); ++i) arrays.push_back(r.x(i));
  return arrays;
}

// The same sort with positions as one more array: where each element came from.
Value sorted_positions(GradientRule& r, const ir::SortAttributes& attributes) {
  Builder& builder = r.builder();
  std::vector<Value> arrays = operands_of(r);
  const ir::Block comparator = r.op().regions[0];
  const size_t compared = comparator.arguments.size();
  arrays.push_back(builder.iota({DType::i32, r.x().shape()}, attributes.dimension));
  return sort(arrays, attributes,
              [&](std::span<const Value> scalars) {
                return clone_live(r.walk(), comparator, scalars.first(compared),
                                  comparator.results)[0];
              })
      .back();
}

}  // namespace

void differentiate_sort(GradientRule& r) {
  auto attributes = r.attributes<ir::SortAttributes>();
  if (attributes.dimension < 0) attributes.dimension += r.x().rank();
  std::vector<size_t> wanted;
  for (size_t i = 0; i < r.operands(); ++i) {
    if (r.has_g(i) && r.needs(i)) wanted.push_back(i);
  }
  if (wanted.empty()) return;
  std::vector<Value> arrays{sorted_positions(r, attributes)};
  for (size_t i : wanted) arrays.push_back(r.g(i));
  const std::vector<Value> back = sort(arrays, attributes, [](std::span<const Value> scalars) {
    return compare(scalars[0], scalars[1], ir::Direction::lt);
  });
  for (size_t k = 0; k < wanted.size(); ++k) r.grad(wanted[k], back[k + 1]);
}

}  // namespace autodiff
}  // namespace systolic::inline v0
