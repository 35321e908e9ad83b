#include "systolic/nn/infer_types.h"

#include <algorithm>
#include <string>

#include "systolic/base/error.h"
#include "systolic/nn/layer_state.h"
#include "systolic/trace/program/trace_and_forget.h"
#include "systolic/trace/replica_context.h"

namespace systolic::inline v0 {
namespace {

// The types with `size` in the place of unknown axes.
std::vector<ir::Type> concrete(const std::vector<SymbolType>& types, int64_t size) {
  std::vector<ir::Type> result;
  for (const SymbolType& type : types) {
    Shape shape = type.shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] < 0) shape.set(axis, size);
    }
    result.push_back({type.dtype, shape});
  }
  return result;
}

bool all_known(const std::vector<SymbolType>& types) {
  return std::all_of(types.begin(), types.end(), [](const SymbolType& type) {
    return std::all_of(type.shape.begin(), type.shape.end(),
                       [](int64_t size) { return size >= 0; });
  });
}

// The layer's results with `size` in the place of unknown axes; an error that shows that size says
// what it stands for.
std::vector<ir::Type> infer_with(const Layer& layer, const std::vector<SymbolType>& inputs,
                                 int64_t size) {
  const auto body = [&](const std::vector<Tensor>& xs) { return call_root(layer, xs, {}, true); };
  try {
    return trace_and_forget(concrete(inputs, size), body);
  } catch (const InvalidArgument& error) {
    ErrorReport report = error.report();
    if (all_known(inputs) || report.what.find(str(size)) == std::string::npos) throw;
    report.hint +=
        str(report.hint.empty() ? "" : "; ", size, " stands for None, a size not known yet");
    throw InvalidArgument(std::move(report));
  }
}

}  // namespace

std::vector<SymbolType> infer_types(const Layer& layer, const std::vector<SymbolType>& inputs) {
  const ReplicaContextScope one_core(ReplicaContext{});
  // Large enough for any window, and with many divisors: halved six times and doubled again they
  // are the same. Only types are inferred, so that size costs nothing.
  constexpr int64_t some = 960, others = 1920;
  const std::vector<ir::Type> first = infer_with(layer, inputs, some);
  const std::vector<ir::Type> second =
      all_known(inputs) ? first : infer_with(layer, inputs, others);
  std::vector<SymbolType> result;
  for (size_t i = 0; i < first.size(); ++i) {
    Shape shape = first[i].shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != second[i].shape[axis]) shape.set(axis, -1);
    }
    result.push_back({first[i].dtype, shape});
  }
  return result;
}

}  // namespace systolic::inline v0
