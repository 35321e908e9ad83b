// systolic tfrecord VERB: what lies in TFRecord files, whether it is whole, and making new ones.
// Each prints to `out` and throws what it cannot do; the result is the exit code.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace tool::tfrecord {

using Files = std::vector<std::string>;

// Records, sizes and features of each file, and what the guides would have otherwise.
int info(const Files& files, int64_t cores, std::ostream& out);

// Checks both checksums of every record; 1 where any is damaged, with the place of the first,
// or where a file has none.
int verify(const Files& files, std::ostream& out);

// Each record as a line: tf.train.Example in protocol buffers' JSON form, or {"bytes": base64}.
int cat(const Files& files, std::ostream& out);

// The first records of each file, values cut short.
int head(const Files& files, int64_t records, std::ostream& out);

struct ShardOptions {
  Files files;
  std::string output;  // "PREFIX" gives PREFIX-00000-of-00016.tfrec ...
  int64_t shards = 0;  // 0: as the guides advise
  int64_t cores = 8;
  bool gzip = false;
  bool force = false;  // replace shards of this prefix, of any number
};
// Deals the records of all files out to that many new ones, in turn. FailedPrecondition where the
// prefix has shards and `force` is not given.
int shard(const ShardOptions& options, std::ostream& out);

// Copies the records that are whole into files of the same names in `folder`; 0 whatever was lost.
// A name that is there already, or that two files share, is an InvalidArgument before any is read.
int repair(const Files& files, const std::string& folder, std::ostream& out);

struct WriteOptions {
  Files sources;          // a folder of class folders, or files
  std::string format;     // images, csv, text, idx, jsonl; "": by the sources' names
  std::string tokenizer;  // folder of one that makes tokens of a text's lines; "": texts stay
  std::string output;     // folder, of all data sets
  std::string name;       // of the data set
  std::string version = "1.0.0";
  std::string split = "train";
  int64_t shards = 0;  // 0: as the guides advise
  int64_t cores = 8;
  int64_t seed = 0;
  bool shuffle = true;
  bool force = false;  // replace a split that is there
};
// Writes OUTPUT/NAME/VERSION in the form of TensorFlow Datasets: shards, features.json and
// dataset_info.json, which datasets::load and tfds.builder_from_directory read. Files get their
// names when they are whole, the description the last of them. Splits that are there stay; their
// features must be the same. FailedPrecondition where this split is there and `force` is not given.
// Ctrl-C leaves no file of the split, and gives 130.
int write(const WriteOptions& options, std::ostream& out);

}  // namespace tool::tfrecord
