// Data sets on the disk, read as tfds.load does.
//
//   const auto [dataset, info] =
//       datasets::load("mnist", {.split = "train[:80%]", .as_supervised = true});
//   const auto train = dataset.map([](const Literal& image, const Literal& label) {
//                         return std::pair(data::scale(image, 1.0 / 255), label);
//                       }).shuffle(10'000).repeat().batch(200);
//   info.split("train").num_examples                       // 60000
//
// Looks in <data_dir>/<name>, then in <data_dir> itself, for one of:
//   <version>/dataset_info.json, features.json, TFRecord files    as TensorFlow Datasets writes
//   train-images-idx3-ubyte[.gz] and the like                     MNIST's own files
//   *.tfrec, train/*.tfrec, tfrecords-jpeg-512x512/…              tf.Examples, as Kaggle has them
//   train/<class>/*.jpg, <class>/*.jpg                            pictures in class folders
//   train.tsv, train.csv, train.jsonl                             tables
// and where there is none, downloads "mnist", "cola", "beans" and "flowers"; class folders in
// <data_dir> itself count as one of these four only where it has the name of the data set. Class
// folders are read class by class; parts of them are cut from an order mixed by the files' names,
// so that "train[:75%]" and "train[75%:]" have all classes. Images are u8 [height, width,
// channels], class labels i64 [], texts strings, other numbers their type. In tfds's nested
// features, "objects/bbox" is the bbox of objects; a Sequence's array has an axis for it, that of a
// Sequence of Sequences its values one after the other, next to their "_row_splits".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/data/dataset.h"
#include "systolic/datasets/dataset_info.h"

namespace systolic::inline v0 {
namespace datasets {

struct LoadOptions {
  // "train"; a part of it, "train[:80%]", "train[-1_000:]", "train[12.5%:25%]", "train[:4shard]",
  // "train[2shard]" (of tfds's files); several, "train+test"; "all". Percents are rounded to the
  // nearest, or down to hundredths of the split with "train[:33%](pct1_dropremainder)".
  // InvalidArgument for a position beyond the split.
  std::string split;
  // Another order of the record files in every epoch, 16 elements of each of 16 in turn, or of the
  // pictures in class folders; the contents of the split stay the same. A single file is read in
  // its order: shuffle() its elements.
  bool shuffle_files = false;
  // Elements have only the input and the label, in this order; else all features.
  bool as_supervised = false;
  std::string data_dir = {};  // $TFDS_DATA_DIR, else ~/tensorflow_datasets; gs:// too
  // As data::tfrecords; keeps the order of whole files only where it is 1.
  int num_parallel_reads = 1;
  // Reads the copy in the public bucket gs://tfds-data/datasets, where data_dir has none.
  bool try_gcs = false;
  // Downloads what is found nowhere, if it is known by name, into <data_dir>/<name>; every file is
  // checked by its SHA-256. An interrupted download is not a data set, and the next call resumes
  // it.
  bool download = true;
  std::optional<uint64_t> shuffle_seed =
      {};  // for shuffle_files; without one, another in every run
};

struct LoadedDataset {
  data::Dataset dataset;
  DatasetInfo info;  // tfds's with_info
};

// "mnist", "glue/cola", "mnist:3.0.1"; the newest version by default. NotFound for a folder, split
// or file that is not there, saying what is.
LoadedDataset load(std::string_view name, const LoadOptions& options,
                   SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
