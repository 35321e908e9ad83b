// tf.Examples by the features that a data set says it has.
#pragma once

#include <vector>

#include "systolic/data/element_function.h"
#include "systolic/datasets/dataset_info.h"

namespace systolic::inline v0 {
namespace datasets {

// Makes of a record, a string scalar, the arrays of these features, pictures as the bytes of their
// files still, texts as strings, numbers as i64 or f32 where they are not packed. Values that do
// not make up their shape, or their rows, are a DataLoss that names the feature.
data::ElementFunction record_reader(const std::vector<FeatureInfo>& features,
                                    SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
