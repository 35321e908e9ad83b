// The options of datasets and of their transformations, with tf.data's names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/core/shape.h"
#include "systolic/data/element_spec.h"
#include "systolic/io/records/tfrecord_reader.h"

namespace systolic::inline v0 {
namespace data {

// "As many as this machine and the work ask for": tf.data.AUTOTUNE.
inline constexpr int autotune = -1;

// What cardinality() says when there is no number: tf.data's INFINITE_CARDINALITY and
// UNKNOWN_CARDINALITY.
inline constexpr int64_t infinite_cardinality = -1;
// The number depends on the elements, as after filter.
inline constexpr int64_t unknown_cardinality = -2;

struct MapOptions {
  int num_parallel_calls = 1;  // above 1, the function is called from several threads at once; with
                               // autotune as many as help
  std::optional<bool> deterministic = {};  // false: results in the order in which they are ready
};

struct IgnoreErrorsOptions {
  bool log_warning = true;  // say of the first ten elements which are left out, and why
};

struct ShuffleOptions {
  std::optional<uint64_t> seed = {};     // without one, every run of the program has another order
  bool reshuffle_each_iteration = true;  // another order in every epoch
};

struct RandomOptions {
  std::optional<uint64_t> seed = {};  // without one, every run of the program has other numbers
  bool rerandomize_each_iteration = false;  // other numbers in every epoch
};

struct GeneratorOptions {
  // Names, types and shapes (-1: differs between elements) of what the generator gives; another
  // element is an InvalidArgument that names both. By default, those of the first element stand for
  // all.
  ElementSpec output_signature = {};
};

// How list_files orders the paths that match.
struct ListFilesOptions {
  bool shuffle = true;                // false: sorted by name
  std::optional<uint64_t> seed = {};  // without one, every run of the program has another order
};

// How workers, or the processes of one run, share a dataset: tf.data's AutoShardPolicy.
enum class AutoShardPolicy {
  automatic,  // AUTO: as `file` where every source is files, at least one a worker; else as `data`
  file,       // FILE: each reads files of its own, so that the order is another than that of one
  data,       // DATA: each reads all, and keeps its elements; in fit its rows of each batch
  off         // OFF: each takes the dataset as it is for its own part
};

struct BatchOptions {
  bool drop_remainder = false;  // drop the last, smaller batch
};

struct PaddedBatchOptions {
  // By the array's name; -1, the default for every axis, is as long as the longest of the batch.
  std::map<std::string, Shape> padded_shapes = {};
  // Scalars by the array's name; 0 and "" by default.
  std::map<std::string, Literal> padding_values = {};
  bool drop_remainder = false;  // drop the last, smaller batch
};

struct WindowOptions {
  int64_t shift = 0;   // from the start of one window to that of the next; 0: the window's size
  int64_t stride = 1;  // from one element of a window to the next
  bool drop_remainder = false;  // drop the last windows, which are smaller
};

struct BucketOptions {
  std::map<std::string, Shape> padded_shapes = {};     // as in PaddedBatchOptions
  std::map<std::string, Literal> padding_values = {};  // as in PaddedBatchOptions
  // Pads to one less than the bucket's upper boundary, so that few shapes are compiled; an element
  // of the last bucket, which has none, is then an InvalidArgument.
  bool pad_to_bucket_boundary = false;
  bool drop_remainder = false;  // drop what is left in the buckets at the end
};

struct SampleOptions {
  std::vector<double> weights = {};        // one a dataset; all alike by default
  std::optional<uint64_t> seed = {};       // without one, every run has another order
  bool stop_on_empty_dataset = false;      // end with the first dataset that does, or with the last
  bool rerandomize_each_iteration = true;  // another order in every epoch
};

struct ResampleOptions {
  std::vector<double> initial_dist =
      {};  // the classes' shares in the data; counted on the way if empty
  std::optional<uint64_t> seed = {};  // without one, every run keeps other elements
};

struct InterleaveOptions {
  // How many datasets are read in turns. autotune: num_parallel_calls where that is a number above
  // 1, else 8. (tf.data takes the machine's processors, so its order is another on each machine.)
  int64_t cycle_length = autotune;
  int64_t block_length = 1;    // elements from each, one turn
  int num_parallel_calls = 1;  // threads that call the function, open and read ahead; 1: when asked
  std::optional<bool> deterministic = {};  // false: as they are ready; none: as Options says
};

struct TFRecordOptions {
  io::Compression compression = io::Compression::none;  // or gzip, zlib: as the files are
  // Above 1, that many files are read in turns, by threads of their own. The order depends on this
  // number but not on the machine: autotune takes turns over up to 8 files.
  int num_parallel_reads = 1;
  io::OnCorrupt on_corrupt = io::OnCorrupt::stop;  // or leave out what is damaged
};

struct FixedLengthOptions {
  int64_t header_bytes = 0, footer_bytes = 0;           // of each file, left out
  io::Compression compression = io::Compression::none;  // or gzip, zlib: as the files are
};

struct CsvColumn {
  std::string name;
  DType dtype = DType::f32;                   // i32, i64, f32, f64 or string
  std::optional<Literal> default_value = {};  // of empty fields; without one they are an error
};

struct CsvOptions {
  // Leave the first line of each file out. It names columns: one of ours that it has at another
  // place is an error.
  bool header = false;
  char field_delim = ',';                 // between two fields of a line
  bool use_quote_delim = true;            // "a, ""b""" is one field
  std::string na_value = "";              // stands for an empty field
  std::vector<int64_t> select_cols = {};  // the column of the file for each of ours; else all
  io::Compression compression = io::Compression::none;  // or gzip, zlib: as the files are
};

// tf.data.Options.experimental_distribute.
struct DistributeOptions {
  // For auto_shard, distribute_dataset and fit where nothing else is said there.
  AutoShardPolicy auto_shard_policy = AutoShardPolicy::automatic;
};

// tf.data.Options.
struct Options {
  bool deterministic = true;  // false: parallel stages deliver in the order in which they are ready
  int thread_niceness = 10;   // 0 to 19: how far the pipeline's threads yield to those that compute
  // What prefetch, parallel map and parallel reads may hold ahead of their readers together; each
  // may hold one piece in any case. 0: half of the machine's memory.
  int64_t memory_budget_bytes = 0;
  DistributeOptions experimental_distribute = {};  // how the processes of a run share the data
};

}  // namespace data
}  // namespace systolic::inline v0
