// The names of weights in checkpoints. Layers have the names of PyTorch's modules, so that one rule
// makes the name in a file from the path in a network:
//
//   bert/encoder.layer.0/attention.self.query/kernel  ->
//   bert.encoder.layer.0.attention.self.query.weight
//
// A weight called `itself` belongs to no module: it has its layer's name in the file.
//
// PyTorch keeps kernels as [out, in] and [out, in, height, width]; ours are [in, out] and [height,
// width, in, out].
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// Where an architecture differs from the rule. All are parts of names.
struct WeightNames {
  // (the name in older checkpoints, the present one)
  std::vector<std::pair<std::string, std::string>> older = {};
  // In files, but not weights: buffers, and heads that are not implemented.
  std::vector<std::string> ignored = {};
  // (whole name, that of the weight that it defaults to): heads of language models.
  std::vector<std::pair<std::string, std::string>> copies = {};
  // Kernels that lie in the file as they do here.
  std::vector<std::string> plain_kernels = {};
  // Parts of the body, besides the pooler, that a checkpoint may lack: they start fresh, as heads
  // do.
  std::vector<std::string> may_lack = {};
  // Files have `num_batches_tracked` (i64) beside each `running_mean` of a BatchNorm. It is not
  // read, and written as 0: it counts only for a BatchNorm without momentum.
  bool counts_batches = false;
};

// The name in a file, and whether the array's axes are reversed there as described above.
struct StoredWeight {
  std::string name;
  bool reversed = false;
};
StoredWeight stored_weight(std::string_view path, int rank, const WeightNames& names);

// The present name of what a file calls `name`.
std::string present_name(std::string name, const WeightNames& names);
bool contains_any(std::string_view name, const std::vector<std::string>& parts);

// The shape in the file of a kernel of this shape.
Shape stored_shape(const Shape& kernel);
// A kernel from the file's order of axes to ours, and back.
Literal from_stored_axes(const Literal& kernel);
Literal to_stored_axes(const Literal& kernel);

}  // namespace systolic::inline v0
