// Programs of a few lines, for tests.
#pragma once

#include <functional>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/core/test_literals.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {

// Builds a module whose arguments have the literals' types (for several cores: without the leading
// axis), and runs it.
inline std::vector<Literal> run_program(
    const std::vector<Literal>& arguments,
    const std::function<std::vector<ir::Value>(ir::Builder&, std::span<const ir::Value>)>& body,
    int64_t cores = 1) {
  ir::Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  ir::Builder b(module.main(), &module);
  std::vector<ir::Value> values;
  for (const Literal& x : arguments) {
    values.push_back(b.argument({x.dtype(), cores > 1 ? x.shape().without(0) : x.shape()}));
  }
  for (const ir::Value& result : body(b, values)) b.result(result);
  return interpreter::evaluate(module, arguments);
}

}  // namespace systolic
