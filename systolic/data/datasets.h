// Data sets on the disk in the form of TensorFlow Datasets, read as tfds.load does.
//
//   const auto [dataset, info] = datasets::load("mnist", {.split = "train", .as_supervised =
//   true}); const auto train = dataset.map([](const Literal& image, const Literal& label) {
//                         return std::pair(data::scale(image, 1.0 / 255), label);
//                       }).shuffle(10'000).repeat().batch(200);
//   info.split("train").num_examples                       // 60000
//
// Nothing is downloaded: `tfds build mnist` in Python, or a copy of its folder, prepares
//   <data_dir>/<name>/[<config>/]<version>/dataset_info.json, features.json and TFRecord files.
// Images are u8 [height, width, channels], class labels i64 [], texts strings, tensors their type.
#pragma once

#include <string>
#include <string_view>

#include "systolic/data/dataset.h"
#include "systolic/data/dataset_info.h"

namespace systolic::inline v0 {
namespace datasets {

struct LoadOptions {
  // "train"; a part of it, "train[:80%]", "train[-1000:]"; several, "train+test".
  std::string split;
  // Elements have only the input and the label, in this order; else all features.
  bool as_supervised = false;
  std::string data_dir = {};  // $TFDS_DATA_DIR, else ~/tensorflow_datasets
  int num_parallel_reads =
      1;  // as data::tfrecords; keeps the order of whole files only where it is 1
};

struct LoadedDataset {
  data::Dataset dataset;
  DatasetInfo info;
};

// "mnist", "glue/cola", "mnist:3.0.1"; the newest version by default. A folder, split or file that
// is not there is a NotFound that says what is.
LoadedDataset load(std::string_view name, const LoadOptions& options,
                   SourceLocation location = SourceLocation::current());

}  // namespace datasets

namespace data {

// The picture in the bytes of a PNG file, a string scalar: u8 [height, width, channels]. Channels:
// 1 grey, 3 RGB, 4 RGBA; 0: those of the file (tf.io.decode_png).
Literal decode_png(const Literal& bytes, int channels = 0,
                   SourceLocation location = SourceLocation::current());

}  // namespace data
}  // namespace systolic::inline v0
