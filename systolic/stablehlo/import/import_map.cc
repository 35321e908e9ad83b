// map: a function of scalars on each element.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// Does an op give the same when it is run once on the arrays instead of on each element?
bool runs_on_arrays(const Operation& op) {
  if (!op.regions.empty()) return false;
  if (op.name == "stablehlo.return" || op.name == "stablehlo.constant") return true;
  const HandlerRow* row = find_handler(op.name);
  if (row == nullptr || row->code == ir::OpCode::constant) return false;
  const ir::OpFamily family = ir::info(row->code).family;
  return family == ir::OpFamily::unary || family == ir::OpFamily::binary ||
         family == ir::OpFamily::ternary || row->code == ir::OpCode::convert ||
         row->code == ir::OpCode::reduce_precision;
}

// Nothing but such ops, on values of the region itself.
bool runs_on_arrays(const Region& region) {
  std::vector<ValueId> own = region.arguments;
  for (const Operation& op : region.operations) {
    if (!runs_on_arrays(op)) return false;
    for (ValueId operand : op.operands) {
      if (std::find(own.begin(), own.end(), operand) == own.end()) return false;
    }
    own.insert(own.end(), op.results.begin(), op.results.end());
  }
  return true;
}

// One element after the other.
std::vector<ir::Value> looped(OpImport& op, const std::vector<ir::Value>& arrays,
                              const Shape& shape) {
  ir::Builder& b = op.builder();
  const Shape flat{shape.elements()}, one{1};
  std::vector<ir::Value> inputs, state{b.constant(Literal::scalar(int64_t{0}))};
  for (const ir::Value& array : arrays) inputs.push_back(ir::reshape(array, flat));
  for (size_t i = 0; i < op.op().results.size(); ++i) {
    state.push_back(b.filled(op.result_dtype(i), flat, 0));
  }
  const std::vector<ir::Value> done = ir::while_loop(
      state,
      [&](std::span<const ir::Value> s) {
        return ir::compare(s[0], static_cast<double>(flat[0]), ir::Direction::lt);
      },
      [&](std::span<const ir::Value> s) {
        const ir::Value at[] = {s[0]};
        std::vector<ir::Value> scalars;
        for (const ir::Value& input : inputs) {
          scalars.push_back(ir::reshape(ir::dynamic_slice(input, at, {1}), {}));
        }
        const std::vector<ir::Value> results = op.region_ops(0, scalars);
        if (results.size() + 1 != s.size()) {
          op.fail("its region", str(results.size(), " results"), str(s.size() - 1));
        }
        std::vector<ir::Value> next{s[0] + 1.0};
        for (size_t i = 0; i < results.size(); ++i) {
          next.push_back(ir::dynamic_update_slice(s[i + 1], ir::reshape(results[i], one), at));
        }
        return next;
      });
  std::vector<ir::Value> results;
  for (size_t i = 1; i < done.size(); ++i) results.push_back(ir::reshape(done[i], shape));
  return results;
}

}  // namespace

void import_map(OpImport& op) {
  const std::vector<ir::Value> arrays = op.operands();
  if (arrays.empty()) op.fail("its operands", "0", "at least 1");
  const Shape shape = arrays[0].shape();
  for (const ir::Value& array : arrays) {
    if (!(array.shape() == shape)) {
      op.fail("map_c1: its operands", str(to_string(shape), " and ", to_string(array.shape())),
              "one shape");
    }
  }
  if (!runs_on_arrays(op.written_region(0))) return op.set_arrays(looped(op, arrays, shape));
  const Importer::Mapped mapped(op.importer(), shape);
  op.set_arrays(op.region_ops(0, arrays));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
