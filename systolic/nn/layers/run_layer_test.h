// The one test that every layer passes: it builds, its symbolic shape is its real shape, it keeps
// to the dtype policy, its gradient is that of differences, rows that pad the batch do not change
// the others (both while training too), its configuration comes back, and a training step lowers a
// loss.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"

namespace systolic {

struct LayerCase {
  std::string name;
  Layer (*make)();                // a new layer each time
  std::vector<Shape> inputs;      // without the batch
  Shape output;                   // without the batch
  size_t weights = 0;             // how many
  double integers_below = 0;      // > 0: inputs are integers from 0, as Embedding takes
  bool keeps_input_type = false;  // moves elements only: the policy does not touch it
  bool moves_weights = false;     // in each call that trains: no two such calls can be compared
};

// Adds failures to the running test.
void run_layer_test(const LayerCase& layer_case);

}  // namespace systolic
