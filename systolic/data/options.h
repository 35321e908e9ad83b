// The options of datasets and of their transformations, with tf.data's names.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/io/tfrecord_reader.h"

namespace systolic::inline v0 {
namespace data {

// "As many as this machine and the work ask for": tf.data.AUTOTUNE.
inline constexpr int autotune = -1;

// What cardinality() says when there is no number: tf.data's INFINITE_CARDINALITY and
// UNKNOWN_CARDINALITY.
inline constexpr int64_t infinite_cardinality = -1;
inline constexpr int64_t unknown_cardinality = -2;

struct MapOptions {
  int num_parallel_calls =
      1;  // above 1, the function is called from several threads at once; autotune allowed
  std::optional<bool> deterministic = {};  // false: results in the order in which they are ready
};

struct ShuffleOptions {
  std::optional<uint64_t> seed = {};     // without one, every run of the program has another order
  bool reshuffle_each_iteration = true;  // another order in every epoch
};

struct BatchOptions {
  bool drop_remainder = false;  // leave the last, smaller batch out
};

struct InterleaveOptions {
  int64_t cycle_length = 1;    // how many datasets are read in turns
  int64_t block_length = 1;    // elements from each, one turn
  int num_parallel_calls = 1;  // threads that read; 1 reads when asked
  std::optional<bool> deterministic = {};
};

struct TFRecordOptions {
  io::Compression compression = io::Compression::none;
  // Above 1, that many files are read in turns, by threads of their own. The order depends on this
  // number but not on the machine: autotune takes turns over up to 8 files.
  int num_parallel_reads = 1;
  io::OnCorrupt on_corrupt = io::OnCorrupt::stop;
};

// tf.data.Options.
struct Options {
  bool deterministic = true;  // false: parallel stages deliver in the order in which they are ready
  int thread_niceness =
      10;  // 0 to 19: how far the pipeline's threads stand back behind those that compute
};

}  // namespace data
}  // namespace systolic::inline v0
