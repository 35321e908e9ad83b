// features.json of a data set in the form of TensorFlow Datasets.
#pragma once

#include <vector>

#include "systolic/datasets/dataset_info.h"
#include "systolic/datasets/json_document.h"

namespace systolic::inline v0 {
namespace datasets {

// The features, those in others by their paths. One of a kind that cannot be read is an
// Unimplemented that names it.
std::vector<FeatureInfo> read_features(const JsonDocument& document);

}  // namespace datasets
}  // namespace systolic::inline v0
