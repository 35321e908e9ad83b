// The one place where anything is traced and thrown away.
//
// What this library makes declares what others must know of it: layers their traits and look-ups
// (nn/layer.h), losses their labels (nn/losses/loss_function.h), metrics whether they use weights
// (nn/metrics/metric.h), optimizers their slots (nn/optimizers/optimizer.h). Two things remain that
// only a call can tell:
// - The shapes of a layer's outputs and of its weights. Its call is the one rule that says them
//   (nn/infer_types.h), as in Keras: a second one beside it could differ.
// - What the user's own code does that declares nothing: layers, losses and metrics, once for each
//   shape of a batch's rows (train/step/probe.h), and an optimizer's slots (Optimizer::build).
#pragma once

#include <functional>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The types of what `body` returns for arguments of `types`. Nothing is computed and the ops are
// dropped; Variables that `body` makes are kept.
std::vector<ir::Type> trace_and_forget(
    const std::vector<ir::Type>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body);

}  // namespace systolic::inline v0
