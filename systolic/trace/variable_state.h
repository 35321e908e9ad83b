// What a Variable handle points to. Internal to the library.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

class Optimizer;  // of nn, which hands it through

// Held while variables' buffers are read or replaced. A program holds it from the moment it takes
// its variables' memory until they have their new values, so that other threads see them only
// between steps. Recursive: an initializer may run programs.
std::recursive_mutex& variables_mutex();

struct VariableState {
  ir::Type type;
  VariableOptions options;
  std::function<Literal()> initializer;  // until the first use
  runtime::BufferPtr buffer;             // after it
  std::string lost_in = {};  // what failed before it gave a new value; empty: nothing did
  // Programs over whole arrays split its rows, the first axis, over the cores: over as many as
  // divide their number. Per-core programs have all of it on each core.
  bool rows_over_cores = false;
  // Whoever is given its gradient leaves it to this optimizer (Optimizer::apply_gradients); null:
  // moves it.
  std::shared_ptr<const Optimizer> own_optimizer = nullptr;
  // What an optimizer makes of the value after it moved it (Optimizer::apply_gradients); empty:
  // leaves it.
  std::function<Tensor(const Tensor& value)> constraint = {};

  // How it lies on so many cores.
  std::optional<ir::Sharding> sharding(int64_t cores) const;

  // The two below take variables_mutex(). The value is now in `value`.
  void hold(runtime::BufferPtr value);
  // The buffer, made by the initializer at the first use. A deleted one is an error that names the
  // variable.
  runtime::BufferPtr ready(SourceLocation location);
};

}  // namespace systolic::inline v0
