// Starting a function on every core (torch_xla.distributed.xla_multiprocessing, imported as xmp).
//
//   auto MX = xmp::MpModelWrapper(JigsawModel());
//   xmp::spawn([&](int index) { ... MX.to(xm::xla_device()) ... }, {.nprocs = 8});
//
// Each ordinal is a thread of this process. They run freely between steps and take each step
// together: what they traced must be equal, and becomes one program for all cores, with its
// collectives (docs/torch_xla.md). What a process of PyTorch would have of its own an ordinal has,
// too: parameters and optimizers, the generator, and the modes of modules begin as they are when
// spawn is called, and what becomes of them ends with it. Other objects are shared: change them on
// one ordinal only, or under a mutex.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "systolic/base/source_location.h"
#include "systolic/torch/device.h"

namespace systolic::inline v0 {
namespace xmp {

struct SpawnOptions {
  // Ordinals: 1 to the cores of the TPU; none: all of them. The software TPU opens this many.
  std::optional<int> nprocs = {};
  bool join = true;     // false is Unimplemented: spawn returns when all ordinals have
  bool daemon = false;  // accepted; threads end with the program anyway
  // "fork" and "spawn": both start threads.
  std::string_view start_method = "spawn";
};

// Runs fn(ordinal) on each. What an ordinal throws comes out, naming it, once all have ended:
// those that wait for it end, too. A spawn inside a spawn is a FailedPrecondition.
void spawn(const std::function<void(int index)>& fn, SpawnOptions options = {},
           SourceLocation location = SourceLocation::current());

// A module for all ordinals, of which the host holds one copy (xmp.MpModelWrapper).
template <class Model>
class MpModelWrapper {
 public:
  explicit MpModelWrapper(Model model) : model_(std::move(model)) {}
  // The module: its parameters have this ordinal's values.
  const Model& to(const torch::Device& device) const {
    model_.to(device);
    return model_;
  }

 private:
  Model model_;
};

// Runs functions of the ordinals one at a time (xmp.MpSerialExecutor): downloads, files.
class MpSerialExecutor {
 public:
  template <class Function>
  auto run(Function&& function) {
    const std::lock_guard lock(mutex_);
    return std::forward<Function>(function)();
  }

 private:
  std::mutex mutex_;
};

}  // namespace xmp

namespace torch_xla {

struct LaunchOptions {
  // "spawn" or "fork", which do the same here: both start threads. Others are an InvalidArgument.
  std::string_view start_method = "spawn";
  bool debug_single_process = false;  // on one ordinal
};
// The newer spelling of xmp::spawn: on all cores (torch_xla.launch).
void launch(const std::function<void(int index)>& fn, LaunchOptions options = {},
            SourceLocation location = SourceLocation::current());

}  // namespace torch_xla
}  // namespace systolic::inline v0
