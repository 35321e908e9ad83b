// custom_call @ApproxTopK, as JAX writes lax.approx_max_k and lax.approx_min_k. Its approximation
// may be exact: the arrays are sorted, and the first ones taken.
#include "systolic/base/error.h"
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

int64_t reduction_axis(const OpImport& op, int rank) {
  const Attribute* options = op.find("mhlo.backend_config");
  if (options == nullptr) options = &op.required("backend_config");
  const int64_t axis = op.field_integer(*options, "reduction_dim", -1);
  if (axis < 0 || axis >= rank) op.fail("reduction_dim", str(axis), str("0 to ", rank - 1));
  return axis;
}

}  // namespace

// The operands are arrays and, behind them, what each holds where there are too few: unused, since
// no more are asked for than there are.
void import_approx_top_k(OpImport& op) {
  const size_t arrays = op.op().results.size();
  if (arrays == 0 || op.operand_count() != 2 * arrays) {
    op.fail("its operands", str(op.operand_count()), "an array and a scalar for each result");
  }
  const std::vector<ir::Value> given = op.operands(0, arrays);
  const Shape shape = given[0].shape();
  const auto axis = static_cast<int>(reduction_axis(op, shape.rank()));
  const Attribute& called = op.required("called_computations");
  if (called.items.size() != 1) op.fail("its comparators", str(called.items.size()), "1");
  const std::vector<ir::Value> sorted = ir::sort(
      given, {.dimension = axis, .is_stable = true}, [&](std::span<const ir::Value> sides) {
        std::vector<Slot> slots;
        for (const ir::Value& side : sides) slots.push_back({side});
        const std::vector<Slot> before =
            op.importer().call(called.items[0].text, std::move(slots), op.op().offset);
        if (before.size() != 1 || before[0].size() != 1) {
          op.fail("its comparator", str(before.size(), " results"), "one array");
        }
        return before[0][0];
      });
  std::vector<ir::Value> best;
  for (size_t i = 0; i < arrays; ++i) {
    const int64_t count = op.static_type(i).shape.rank() == shape.rank()
                              ? op.static_type(i).shape[axis]
                              : int64_t{-1};
    if (count < 0 || count > shape[axis]) {
      op.fail(str("result ", i), to_string(op.static_type(i)),
              str("at most the ", shape[axis], " values of axis ", axis, " of ", to_string(shape)));
    }
    ir::Axes start(static_cast<size_t>(shape.rank()), 0), limit = shape.to_vector();
    limit[static_cast<size_t>(axis)] = count;
    best.push_back(ir::slice(sorted[i], start, limit));
  }
  op.set_arrays(best);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
