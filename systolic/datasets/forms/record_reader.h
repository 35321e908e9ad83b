// Reads tf.Examples by the features that a data set says it has.
#pragma once

#include <vector>

#include "systolic/data/element_function.h"
#include "systolic/datasets/dataset_info.h"

namespace systolic::inline v0 {
namespace datasets {

// Makes the arrays of these features from a record, a string scalar: pictures still as the bytes of
// their files, texts as strings, numbers as i64 or f32 where they are not packed. DataLoss, naming
// the feature, for values that do not make up its shape, or its rows.
data::ElementFunction record_reader(const std::vector<FeatureInfo>& features,
                                    SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
