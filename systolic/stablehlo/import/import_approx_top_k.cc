// custom_call @ApproxTopK, as JAX writes lax.approx_max_k and lax.approx_min_k, and
// @stablehlo.dynamic_approx_top_k, as jax.export does where their number is one of its symbols.
// Their approximation may be exact: the arrays are sorted, and the first ones taken.
#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

const Attribute& options_of(const OpImport& op) {
  const Attribute* options = op.find("mhlo.backend_config");
  return options == nullptr ? op.required("backend_config") : *options;
}

int64_t reduction_axis(const OpImport& op, int rank) {
  const int64_t axis = op.field_integer(options_of(op), "reduction_dim", -1);
  if (axis < 0 || axis >= rank) op.fail("reduction_dim", str(axis), str("0 to ", rank - 1));
  return axis;
}

// How many elements result i holds: as its type says, or the operand after the scalars, or top_k.
int64_t count_along(const OpImport& op, size_t i, int axis, const Shape& shape) {
  const ir::Type type = op.written(i);
  int64_t count = type.shape.rank() == shape.rank() ? type.shape[axis] : int64_t{-1};
  const bool open = type.shape.rank() == shape.rank() && count < 0;
  const size_t arrays = op.op().results.size();
  if (open && op.operand_count() > 2 * arrays) {
    const Literal* known = op.importer().constant(op.operand(2 * arrays).id());
    if (known == nullptr || known->size() != 1) {
      op.lack(
          str("operand ", 2 * arrays, " is not known while importing"),
          "how many values there are must follow from constants and from the arguments' shapes");
    }
    count = known->integer_at(0);
  } else if (open) {
    count = op.field_integer(options_of(op), "top_k", -1);
  }
  if (count < 0 || count > shape[axis]) {
    op.fail(str("result ", i), open ? str(count, " values") : to_string(type),
            str("at most the ", shape[axis], " values of axis ", axis, " of ", to_string(shape)));
  }
  return count;
}

}  // namespace

// The operands are arrays and, after them, what fills each where there are too few elements:
// unused, since no more are asked for than there are. Sizes of results may follow them.
void import_approx_top_k(OpImport& op) {
  const size_t arrays = op.op().results.size();
  const bool with_sizes = op.find("indices_of_shape_operands") != nullptr ||
                          op.required("call_target_name").text != "ApproxTopK";
  if (arrays == 0 || op.operand_count() < 2 * arrays ||
      (op.operand_count() > 2 * arrays && !with_sizes)) {
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
    const int64_t count = count_along(op, i, axis, shape);
    ir::Axes start(static_cast<size_t>(shape.rank()), 0), limit = shape.to_vector();
    limit[static_cast<size_t>(axis)] = count;
    best.push_back(ir::slice(sorted[i], start, limit));
  }
  op.set_arrays(best);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
