// Keras 3's weights in several files: NAME.weights.json says in which of NAME_00000.weights.h5,
// NAME_00001.weights.h5, ... the arrays of each layer lie. Internal to train and saving.
#pragma once

#include <string>

#include "systolic/train/weights/keras_arrays.h"
#include "systolic/train/weights/weight_groups.h"

namespace systolic::inline v0 {
namespace saving {

constexpr double default_max_shard_size = 5;  // GiB, as in Keras

// Each array goes into the file of the one before it, or into a new one where it would grow beyond
// `max_shard_size` GiB; one that alone is larger is an InvalidArgument. Atomic: until
// NAME.weights.json is replaced, a reader finds the earlier weights. Files of those go afterwards;
// NAME_00000.weights.h5, which Keras opens in any case, stays as a file without arrays.
void write_shards(const std::vector<WeightGroup>& groups, const std::string& path,
                  double max_shard_size, SourceLocation location);

// Opens all files that NAME.weights.json names. A DataLoss: what it names lies elsewhere than next
// to it, or is not there.
KerasArrays open_shards(const std::string& path, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
