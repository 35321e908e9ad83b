// Batches of one execution, padded, stacked and copied to the device. Internal to train.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/runtime/client.h"
#include "systolic/train/batches/batch_layout.h"
#include "systolic/train/batches/step_input.h"

namespace systolic::inline v0 {

class StepTransfer {
 public:
  struct Options {
    int64_t cores = 1;                // the rows lie over so many
    int64_t steps_per_execution = 1;  // above 1 the arrays get a leading axis of steps
    int64_t pieces = 1;               // processes that each bring their rows of every batch
    SourceLocation location = {};     // the user's line: errors name it
  };
  explicit StepTransfer(const Options& options);

  // Batches of one shape, at most steps_per_execution of them, each with `rows` rows afterwards.
  // Rows that pad are copies of the first, and the mask leaves them out. Where it is a piece, there
  // is no mask: which rows of the others are real, SharedSteps knows. Arrays that the cores' memory
  // cannot hold are a ResourceExhausted.
  StepInput operator()(const std::vector<Example>& batches, const BatchLayout& layout,
                       int64_t rows) const;

 private:
  void check_fitting(const Literal& step, const std::string& name) const;
  Literal one_execution(const std::vector<Literal>& steps, const std::string& name) const;
  runtime::BufferPtr to_device(const std::vector<Literal>& steps, const std::string& name) const;

  const Options options_;
  const runtime::ClientPtr client_;
};

}  // namespace systolic::inline v0
