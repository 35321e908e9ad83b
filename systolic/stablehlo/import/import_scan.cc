// chlo.scan as a loop.
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

std::vector<ir::Value> starts_at(ir::Value x, int64_t axis, ir::Value i) {
  std::vector<ir::Value> starts(static_cast<size_t>(x.rank()), formula::like(i, 0));
  starts[static_cast<size_t>(axis)] = i;
  return starts;
}

// Element i along an axis, which vanishes.
ir::Value element_at(ir::Value x, int64_t axis, ir::Value i) {
  ir::Axes sizes = x.shape().to_vector();
  sizes[static_cast<size_t>(axis)] = 1;
  const ir::Value slice = ir::dynamic_slice(x, starts_at(x, axis, i), sizes);
  return ir::reshape(slice, x.shape().without(static_cast<int>(axis)));
}

ir::Value with_element(ir::Value x, int64_t axis, ir::Value i, ir::Value element) {
  const Shape one = element.shape().with_inserted(static_cast<int>(axis), 1);
  return ir::dynamic_update_slice(x, ir::reshape(element, one), starts_at(x, axis, i));
}

}  // namespace

// The body takes an element of each input, then the carries; it returns an element of each output,
// then the carries.
void import_scan(OpImport& op) {
  const auto inputs = static_cast<size_t>(op.integer("input_count", 0));
  if (inputs == 0 || inputs >= op.operand_count()) {
    op.lack("a scan without inputs or without carries");
  }
  const int64_t axis = op.integer("dimension");
  const ir::Value first = op.operand(0);
  if (axis < 0 || axis >= first.rank()) {
    op.fail("dimension", str(axis), str("an axis of ", to_string(first.type())));
  }
  const int64_t steps = first.shape()[static_cast<int>(axis)];
  const size_t carries = op.operand_count() - inputs;
  if (op.op().results.size() < carries) op.fail("its results", str(op.op().results.size()));
  const size_t outputs = op.op().results.size() - carries;
  const bool backwards = op.boolean("is_reverse", false);
  ir::Builder& b = op.builder();
  std::vector<ir::Value> state{b.constant(Literal::scalar(int64_t{0}))};
  for (size_t i = 0; i < outputs; ++i) {
    const ir::Type type = op.static_type(i);
    state.push_back(b.filled(type.dtype, type.shape, 0));
  }
  for (size_t i = inputs; i < op.operand_count(); ++i) state.push_back(op.operand(i));
  const std::vector<ir::Value> done = ir::while_loop(
      state,
      [&](std::span<const ir::Value> s) {
        return ir::compare(s[0], static_cast<double>(steps), ir::Direction::lt);
      },
      [&](std::span<const ir::Value> s) {
        const ir::Value i = backwards ? static_cast<double>(steps - 1) - s[0] : s[0];
        std::vector<ir::Value> arguments;
        for (size_t k = 0; k < inputs; ++k) arguments.push_back(element_at(op.operand(k), axis, i));
        arguments.insert(arguments.end(), s.begin() + 1 + static_cast<std::ptrdiff_t>(outputs),
                         s.end());
        const std::vector<ir::Value> results = op.region_ops(0, arguments);
        if (results.size() != outputs + carries) {
          op.fail("its region", str(results.size(), " results"), str(outputs + carries));
        }
        std::vector<ir::Value> next{s[0] + 1.0};
        for (size_t k = 0; k < outputs; ++k) {
          next.push_back(with_element(s[1 + k], axis, i, results[k]));
        }
        next.insert(next.end(), results.begin() + static_cast<std::ptrdiff_t>(outputs),
                    results.end());
        return next;
      });
  op.set_arrays({done.begin() + 1, done.end()});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
