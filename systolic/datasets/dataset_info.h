// What a data set in TensorFlow Datasets' format says of itself: dataset_info.json and
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
  enum class Encoding { none, bytes, zlib };
  std::string name;  // "objects/bbox" for the bbox of objects
  Kind kind = Kind::tensor;
  DType dtype = DType::f32;                   // of its arrays in an element
  Shape shape = {};                           // -1 for unknown axes; those of sequences come first
  int64_t num_classes = 0;                    // for a class_label; 0 where nothing says it
  std::vector<std::string> class_names = {};  // for a class_label, where something names them
  // How many sequences it lies in. For one, the element's array has an axis. For several, whose
  // lengths differ, the array holds the values one after the other, [values, ...], and
  // row_split_names() where the rows start, as Dataset::ragged_batch has them.
  int sequence_rank = 0;
  Encoding encoding = Encoding::none;  // of a tensor in its file

  // "tokens_row_splits" of a sequence of sequences; where there are more, "_row_splits_0" is the
  // outermost and each splits the rows of the next.
  std::vector<std::string> row_split_names() const;
};

struct SplitInfo {
  std::string name;
  int64_t num_examples = 0;             // data::unknown_cardinality where only reading would tell
  std::vector<std::string> files = {};  // in order, with their paths
  // False where num_examples is only what the files' names say.
  bool counted = true;
  std::vector<int64_t> shard_lengths = {};  // of each file; empty where nothing says it
};

struct DatasetInfo {
  std::string name, version;
  std::vector<FeatureInfo> features = {};
  std::vector<SplitInfo> splits = {};
  // Input and label, each a feature or a group of them ("objects"); empty where it names none.
  std::vector<std::string> supervised_keys = {};

  // NotFound, with a list of the known ones, for a name that it lacks.
  const SplitInfo& split(std::string_view split_name, SourceLocation location = {}) const;
  const FeatureInfo& feature(std::string_view feature_name, SourceLocation location = {}) const;
};

// Reads the folder of one version. DataLoss for damaged JSON; Unimplemented, naming it, for a
// feature of a kind that cannot be read.
DatasetInfo read_dataset_info(const std::string& folder, SourceLocation location = {});

}  // namespace datasets
}  // namespace systolic::inline v0
