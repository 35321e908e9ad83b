// What a data set in the form of TensorFlow Datasets says of itself: dataset_info.json and
// features.json (tensorflow.org/datasets/external_tfrecord), as far as reading it needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/dtype.h"
#include "systolic/core/shape.h"

namespace systolic::inline v0 {
namespace datasets {

struct FeatureInfo {
  enum class Kind { image, class_label, text, tensor };
  std::string name;
  Kind kind = Kind::tensor;
  DType dtype = DType::f32;                   // of its arrays in an element
  Shape shape = {};                           // -1 for unknown axes
  int64_t num_classes = 0;                    // of a class_label; 0 where nothing says it
  std::vector<std::string> class_names = {};  // of a class_label, where something says them
};

struct SplitInfo {
  std::string name;
  int64_t num_examples = 0;             // data::unknown_cardinality where only reading would tell
  std::vector<std::string> files = {};  // in order, with their paths
  // False where num_examples is only what the files' names say.
  bool counted = true;
};

struct DatasetInfo {
  std::string name, version;
  std::vector<FeatureInfo> features = {};
  std::vector<SplitInfo> splits = {};
  std::vector<std::string> supervised_keys = {};  // input and label; empty where it names none

  // A name that it has not is a NotFound that lists those that it has.
  const SplitInfo& split(std::string_view split_name, SourceLocation location = {}) const;
  const FeatureInfo& feature(std::string_view feature_name, SourceLocation location = {}) const;
};

// Of the folder of one version. JSON that is damaged is a DataLoss; a feature of a kind that cannot
// be read is an Unimplemented that names it.
DatasetInfo read_dataset_info(const std::string& folder, SourceLocation location = {});

}  // namespace datasets
}  // namespace systolic::inline v0
