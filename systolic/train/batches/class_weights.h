// Keras's class_weight: sample weights that follow from the labels. Internal to train.
#pragma once

#include <cstdint>
#include <map>

#include "systolic/core/example.h"

namespace systolic::inline v0 {

struct LabelRange;

// The f32 weights of `labels`, the component of that name. Labels are classes in the shape of the
// losses ([batch] or [batch, 1]; a sparse loss knows more axes), or one-hot along their last axis:
// then the result lacks that axis. A class that `weights` does not name weighs 1. Labels that are
// no classes are an InvalidArgument.
Literal weights_of_classes(const Literal& labels, std::string_view name,
                           const std::map<int64_t, double>& weights, const LabelRange& range);

// Multiplied: [batch], or with further axes where either has them.
Literal multiply_weights(const Literal& sample_weights, const Literal& class_weights);

// Weights that are not numbers and classes that the model has not are an InvalidArgument.
void check_class_weights(const std::map<int64_t, double>& weights, const LabelRange& range,
                         size_t outputs);

}  // namespace systolic::inline v0
