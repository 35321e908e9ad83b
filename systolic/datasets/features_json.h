// features.json of a data set in TensorFlow Datasets' format.
#pragma once

#include <vector>

#include "systolic/datasets/dataset_info.h"
#include "systolic/datasets/json_document.h"

namespace systolic::inline v0 {
namespace datasets {

// The features, nested ones by their paths. Unimplemented, naming it, for one of a kind that cannot
// be read.
std::vector<FeatureInfo> read_features(const JsonDocument& document);

}  // namespace datasets
}  // namespace systolic::inline v0
