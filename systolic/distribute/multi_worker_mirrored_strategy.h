// All devices of several processes under the name that TensorFlow has for CPUs and GPUs
// (tf.distribute.MultiWorkerMirroredStrategy).
#pragma once

#include "systolic/distribute/strategy.h"

namespace systolic::inline v0 {

// As TPUStrategy, on whichever device is the default one: GPUs, or the software TPU's cores. Each
// process has its number and the others' addresses from TF_CONFIG or from what started it
// (docs/processes.md); one that was started alone is the only worker. Opening waits for the others:
// DeadlineExceeded names who has not come.
//
//   const MultiWorkerMirroredStrategy strategy;
//   Model model = strategy.scope([] { return create_model(); });
class MultiWorkerMirroredStrategy : public Strategy {
 public:
  // Opens the default device unless it is open; logs how many workers there are.
  MultiWorkerMirroredStrategy();
};

}  // namespace systolic::inline v0
