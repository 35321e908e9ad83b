// Optimizers as objects of a TensorFlow checkpoint (checkpoint_objects.h). Internal to train and
// saving.
#pragma once

#include <vector>

#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/train/weights/checkpoint_objects.h"
#include "systolic/train/weights/weight_match.h"

namespace systolic::inline v0 {
namespace saving {

// "_iterations", "_learning_rate" where no schedule makes it, and a list for each kind of slots, as
// "_momentums", in the order of `trainable`. Names that tf_keras 2 and Keras 3 have in common:
// their lists of all variables do not count alike, and are left out. The slots must be there, those
// of `trainable`.
void add_optimizer(const Optimizer& optimizer, const std::vector<Variable>& trainable,
                   CheckpointObjects& objects, size_t node);

// Those lists, or the slots of tf.keras.optimizers.legacy for the stored `variables`. `trainable`
// in the same order.
void match_optimizer(const StoredObjects& stored, size_t node, const Optimizer& optimizer,
                     const std::vector<Variable>& trainable, const StoredVariables& variables,
                     WeightMatch& match, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
