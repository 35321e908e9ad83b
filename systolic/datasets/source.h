// The contents of a data set's folder, in whichever form: what it says of itself, and how its
// elements are read. load() and load_dataset() differ only in what they make of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/datasets/dataset_info.h"

namespace systolic::inline v0 {
namespace datasets {

struct Source {
  DatasetInfo info;
  // The elements of a split in order, as they are stored: cheap to skip.
  std::function<data::Dataset(const SplitInfo&)> stored = {};
  // The same in an order in which neighbors have little in common, and which is always the same:
  // parts are cut from it where the stored order would separate the classes. Empty elsewhere.
  std::function<data::Dataset(const SplitInfo&)> mixed = {};
  // Those of one of a split's files; empty where files do not hold many elements each.
  std::function<data::Dataset(const std::string& file)> of_file = {};
  // Makes these features of a stored element, in this order; pictures are still the bytes of their
  // files.
  std::function<data::ElementFunction(const std::vector<FeatureInfo>&)> reader = {};
};

// How the files of a folder are looked for.
struct SourceQuery {
  std::string name;            // of the data set
  std::string version = {};    // of tfds's form; the newest if empty
  int num_parallel_reads = 1;  // of TFRecord files
  SourceLocation location = {};
};

// Each knows one form, and returns nothing where the folder lacks it.
// <version>/dataset_info.json, features.json and TFRecord files, as TensorFlow Datasets writes
// them.
std::optional<Source> tfds_source(const std::string& folder, const SourceQuery& query);
// MNIST's four IDX files, plain or compressed.
std::optional<Source> idx_source(const std::string& folder, const SourceQuery& query);
// TFRecord files of tf.Examples without a description ("flowers00-230.tfrec", train/*.tfrec), whose
// features are those that their first records have.
std::optional<Source> tfrecords_source(const std::string& folder, const SourceQuery& query);
// <split>/<class>/*.jpg, or <class>/*.jpg: pictures in a folder for each class.
std::optional<Source> class_folders_source(const std::string& folder, const SourceQuery& query);
// train.tsv, train.csv, train.jsonl and the like.
std::optional<Source> tables_source(const std::string& folder, const SourceQuery& query);

// "validation" for "val", "valid" and "dev", as in TensorFlow Datasets; else the name itself.
std::string split_name_of(std::string_view stem);

struct SplitPart {
  std::string name = {};
  int64_t begin = 0;
  int64_t count = -1;  // -1: the whole split
};
// How large a split is; `shards`, the elements of each of its files, where that is known.
struct SplitSize {
  int64_t examples = 0;
  std::vector<int64_t> shards = {};
};
struct SplitSizes {
  std::vector<std::string> names;                             // of all splits, for "all"
  std::function<SplitSize(const std::string& name)> size_of;  // asked where only a part is wanted
};
// The parts that "train[:80%]+test" asks for. InvalidArgument for a text that is not a split.
std::vector<SplitPart> split_parts(std::string_view split, const SplitSizes& sizes,
                                   SourceLocation location);

struct FileOrder {
  bool shuffled = false;
  std::optional<uint64_t> seed = {};
  int threads = 1;
};
// The elements of "train", "train[:80%]" or "train+test", as they are stored. NotFound for a split
// that is not there, InvalidArgument for a text that is not a split.
data::Dataset stored_elements(const Source& source, std::string_view split, const FileOrder& order,
                              SourceLocation location);

// A feature as users see it: pictures u8 [height, width, channels], those of sequences stacked.
Literal decoded_feature(const FeatureInfo& feature, const Literal& stored);

}  // namespace datasets
}  // namespace systolic::inline v0
