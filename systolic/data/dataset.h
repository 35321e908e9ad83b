// Input pipelines, with the names and meaning of tf.data (tensorflow.org/guide/data).
//
//   auto train = data::tfrecords(io::glob("train-*.tfrec"), {.num_parallel_reads = data::autotune})
//                    .shuffle(10'000).repeat().batch(200, {.drop_remainder = true})
//                    .map(parse_mnist, {.num_parallel_calls =
//                    data::autotune}).prefetch(data::autotune);
//   for (const Example& batch : train.take(1)) print(batch["image"]);
//
// A Dataset is a cheap value that describes what to do; nothing is read before an iterator asks.
// Elements are Examples: host arrays under names. Parallel stages keep the order unless told
// otherwise. An error names the transformation, the line that wrote it, and the element.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/array_like.h"
#include "systolic/core/example.h"
#include "systolic/data/element_function.h"
#include "systolic/data/element_spec.h"
#include "systolic/data/iterator.h"
#include "systolic/data/options.h"
#include "systolic/data/paths.h"

namespace systolic::inline v0 {
namespace data {

class Node;
class Windows;

class Dataset {
 public:
  // Applies a function to every element. It takes (const Example&), or the arrays of the element,
  // one or two (const Literal&), or their values by C++ types (see element_function.h); it returns
  // an Example, a Literal, a number or a string, or a pair or tuple of these. With
  // num_parallel_calls above 1 it must be safe to call from several threads.
  template <class Function>
  Dataset map(Function function, MapOptions options = {},
              SourceLocation location = SourceLocation::current()) const {
    return map_elements(element_function(std::move(function)), options, location);
  }
  // Right after a map: skips the elements for which its function throws, as it does for a damaged
  // picture, and logs the first ten. After a thousand in a row the function is at fault, and its
  // error is thrown.
  //   files.map(decode, {.num_parallel_calls = autotune}).ignore_errors()
  // For damaged records TFRecordOptions::on_corrupt decides.
  Dataset ignore_errors(IgnoreErrorsOptions options = {},
                        SourceLocation location = SourceLocation::current()) const;
  // Keeps the elements for which the function, which takes the same arguments, returns true.
  template <class Function>
  Dataset filter(Function function, SourceLocation location = SourceLocation::current()) const {
    return filter_elements(element_predicate(std::move(function)), location);
  }

  // Draws every element at random from the next `buffer_size` ones. A buffer as large as the
  // dataset shuffles uniformly.
  Dataset shuffle(int64_t buffer_size, ShuffleOptions options = {},
                  SourceLocation location = SourceLocation::current()) const;
  // Repeats the dataset `count` times, without end by default.
  Dataset repeat(int64_t count = infinite_cardinality) const;
  // Stacks `batch_size` elements along a new first axis; they must have equal names, types and
  // shapes.
  Dataset batch(int64_t batch_size, BatchOptions options = {},
                SourceLocation location = SourceLocation::current()) const;
  template <std::same_as<bool> Bool>  // drop_remainder, as tf.data's second argument
  Dataset batch(int64_t batch_size, Bool drop_remainder,
                SourceLocation location = SourceLocation::current()) const {
    return batch(batch_size, BatchOptions{.drop_remainder = drop_remainder}, location);
  }
  // batch() of elements whose arrays differ in length: each is padded at its end.
  //   .padded_batch(32, {.padded_shapes = {{"tokens", {-1}}}})
  Dataset padded_batch(int64_t batch_size, PaddedBatchOptions options = {},
                       SourceLocation location = SourceLocation::current()) const;
  // batch() of elements whose arrays differ in length, without padding: tf.RaggedTensor's parts.
  // "tokens" holds the rows one after the other, and i64 "tokens_row_splits" (batch_size + 1,)
  // where each starts and the last ends. Arrays without axes are stacked as batch() does.
  Dataset ragged_batch(int64_t batch_size, BatchOptions options = {},
                       SourceLocation location = SourceLocation::current()) const;
  // Puts elements of similar length together in one padded batch: bucket i holds the lengths below
  // `boundaries[i]`, the last one all others, in batches of `batch_sizes[i]` (one more than the
  // boundaries). `length` returns an element's length.
  Dataset bucket_by_sequence_length(std::function<int64_t(const Example&)> length,
                                    std::vector<int64_t> boundaries,
                                    std::vector<int64_t> batch_sizes, BucketOptions options = {},
                                    SourceLocation location = SourceLocation::current()) const;
  // Gathers elements by the key that a function gives them; `reduce` makes a dataset of each
  // `window_size` elements of one key, and of those that remain at the end, in the order of the
  // keys.
  Dataset group_by_window(std::function<int64_t(const Example&)> key,
                          std::function<Dataset(int64_t, const Dataset&)> reduce,
                          int64_t window_size,
                          SourceLocation location = SourceLocation::current()) const;
  // The same with a size for each key.
  Dataset group_by_window(std::function<int64_t(const Example&)> key,
                          std::function<Dataset(int64_t, const Dataset&)> reduce,
                          std::function<int64_t(int64_t)> window_size,
                          SourceLocation location = SourceLocation::current()) const;
  // Datasets of `size` elements in a row: .window(5, {.shift = 1}).flat_map(…), see Windows.
  Windows window(int64_t size, WindowOptions options = {},
                 SourceLocation location = SourceLocation::current()) const;
  // The rows of the first axis as elements of their own.
  Dataset unbatch(SourceLocation location = SourceLocation::current()) const;
  // Batches of another size from batches: unbatch().batch(batch_size).
  Dataset rebatch(int64_t batch_size, BatchOptions options = {},
                  SourceLocation location = SourceLocation::current()) const;
  // Makes up to `buffer_size` elements ahead of time on a thread of its own.
  Dataset prefetch(int64_t buffer_size, SourceLocation location = SourceLocation::current()) const;
  // The first `count` elements (-1: all), or those after them.
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  // Every `num_shards`-th element, starting at the `index`-th: what worker `index` of several
  // reads.
  Dataset shard(int64_t num_shards, int64_t index,
                SourceLocation location = SourceLocation::current()) const;
  // What worker `index` of `num_workers` reads: its own files where there are enough, else its own
  // elements. `automatic` is what options().experimental_distribute says.
  Dataset auto_shard(int64_t num_workers, int64_t index,
                     AutoShardPolicy policy = AutoShardPolicy::automatic,
                     SourceLocation location = SourceLocation::current()) const;
  // Keeps all elements in memory once they were read to the end.
  Dataset cache() const;
  // The same in a file, which stays for later runs of the program. The first iterator that reads to
  // the end writes it, whole. A file of another pipeline (told by the names of its transformations,
  // their number of elements and what they read, not by the functions given to them) is a
  // FailedPrecondition: delete the file when such a function changes.
  Dataset cache(const std::string& path, SourceLocation location = SourceLocation::current()) const;
  // cache() in a folder that may hold one for each pipeline. A new one is made for other
  // transformations before it (told by their names, not by the functions given to them) and for
  // other data: other arrays, other files, files that have changed (in size or time).
  Dataset snapshot(const std::string& path,
                   SourceLocation location = SourceLocation::current()) const;
  // Writes all elements to a folder, for data::load. Calls the functions of its maps twice more on
  // the first element, to log those that give another result each time.
  void save(const std::string& path, SourceLocation location = SourceLocation::current()) const;
  // The elements of both have the same names and types.
  Dataset concatenate(const Dataset& other,
                      SourceLocation location = SourceLocation::current()) const;
  // Puts the running number of each element before its arrays, as i64 "index".
  Dataset enumerate() const;
  // Each element once: the first of those with equal arrays. Keeps all elements in memory.
  Dataset unique(SourceLocation location = SourceLocation::current()) const;
  // map() with a memory: function(state, element) gives the next state and the element to hand on.
  //   .scan({{"sum", zero}}, [](const Example& state, const Example& e) { … return std::pair(s, e);
  //   })
  Dataset scan(Example initial_state,
               std::function<std::pair<Example, Example>(const Example&, const Example&)> function,
               SourceLocation location = SourceLocation::current()) const;
  // Drops elements at random until the classes come as often as `target_dist` says; `class_of`
  // returns an element's class, from 0 to below the length of the distribution. Elements get an i64
  // "class" before their arrays.
  Dataset rejection_resample(std::function<int64_t(const Example&)> class_of,
                             std::vector<double> target_dist, ResampleOptions options = {},
                             SourceLocation location = SourceLocation::current()) const;
  // Makes a dataset of each element and reads them one after the other.
  Dataset flat_map(std::function<Dataset(const Example&)> function,
                   SourceLocation location = SourceLocation::current()) const;
  // Makes a dataset of each element and reads `cycle_length` of them in turns.
  Dataset interleave(std::function<Dataset(const Example&)> function,
                     InterleaveOptions options = {},
                     SourceLocation location = SourceLocation::current()) const;
  // Functions of these may take the element's arrays or values, as those of map do:
  //   list_files("*.csv").interleave([](const std::string& path) { return text_lines(path); })
  template <TakesParts Function>
  Dataset flat_map(Function function, SourceLocation location = SourceLocation::current()) const {
    return flat_map(of_whole_element<Dataset>(std::move(function)), location);
  }
  template <TakesParts Function>
  Dataset interleave(Function function, InterleaveOptions options = {},
                     SourceLocation location = SourceLocation::current()) const {
    return interleave(of_whole_element<Dataset>(std::move(function)), options, location);
  }
  template <TakesParts Function>
  Dataset bucket_by_sequence_length(Function length, std::vector<int64_t> boundaries,
                                    std::vector<int64_t> batch_sizes, BucketOptions options = {},
                                    SourceLocation location = SourceLocation::current()) const {
    return bucket_by_sequence_length(of_whole_element<int64_t>(std::move(length)),
                                     std::move(boundaries), std::move(batch_sizes),
                                     std::move(options), location);
  }
  template <TakesParts Function>
  Dataset rejection_resample(Function class_of, std::vector<double> target_dist,
                             ResampleOptions options = {},
                             SourceLocation location = SourceLocation::current()) const {
    return rejection_resample(of_whole_element<int64_t>(std::move(class_of)),
                              std::move(target_dist), std::move(options), location);
  }
  // Reduces all elements to one value: state = function(state, element), or its arrays or values.
  //   range(5).reduce(int64_t{0}, [](int64_t sum, int64_t n) { return sum + n; })   // 10
  template <class State, class Function>
  State reduce(State initial_state, Function function,
               SourceLocation location = SourceLocation::current()) const {
    int64_t index = 0;
    for (const Example& element : *this) {
      try {
        initial_state = call_with_state<State>(function, std::move(initial_state), element);
      } catch (...) {
        rethrow_naming_element("reduce", location, index);
      }
      ++index;
    }
    return initial_state;
  }
  // States how many elements there are; a dataset that ends earlier or later is then an error.
  Dataset assert_cardinality(int64_t expected,
                             SourceLocation location = SourceLocation::current()) const;
  // Applies a function from Dataset to Dataset, so that your own stages read in order.
  template <std::invocable<const Dataset&> Function>
  Dataset apply(Function&& function) const {
    return std::forward<Function>(function)(*this);
  }
  // Options for the whole pipeline up to here and everything that is built on it.
  Dataset with_options(Options options) const;

  // Names, shapes and types of the elements. Calls the functions of map on the first element.
  ElementSpec element_spec() const;
  // The number of elements, infinite_cardinality or unknown_cardinality.
  int64_t cardinality() const;

  // What is unwise in this pipeline for a model on `cores` cores, a line each (see data/advice.h);
  // empty where nothing is. Reads one batch, and calls functions of maps before a cache on it.
  std::vector<std::string> advice(int64_t cores = 1) const;
  Iterator iterator() const;
  // An iterator that continues where another one of the same pipeline was saved (Iterator::save()).
  Iterator iterator(std::string_view saved,
                    SourceLocation location = SourceLocation::current()) const;
  // The first element. FailedPrecondition for an empty dataset.
  Example first(SourceLocation location = SourceLocation::current()) const;
  // for (const Example& element : dataset) …
  ElementIterator begin() const { return ElementIterator(iterator()); }
  std::default_sentinel_t end() const { return {}; }

  explicit Dataset(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  // A handle that was moved from still holds on: moving copies.
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
  const std::shared_ptr<const Node>& node() const { return node_; }
  friend auto trace_key(const Dataset& dataset) { return dataset.node_; }

 private:
  Dataset map_elements(ElementFunction function, MapOptions options, SourceLocation location) const;
  Dataset filter_elements(ElementPredicate predicate, SourceLocation location) const;
  std::shared_ptr<const Node> node_;
};

// Datasets of elements in a row, as window() cuts them.
//
//   range(7).window(3, {.shift = 1, .drop_remainder = true})
//       .flat_map([](const Dataset& window) { return window.batch(3); })   // [0 1 2], [1 2 3], …
class Windows {
 public:
  // What the function makes of each window, one after the other.
  Dataset flat_map(std::function<Dataset(const Dataset&)> function,
                   SourceLocation location = SourceLocation::current()) const;

 private:
  friend class Dataset;
  Windows(Dataset elements, int64_t size, WindowOptions options)
      : elements_(std::move(elements)), size_(size), options_(options) {}
  Dataset elements_;
  int64_t size_;
  WindowOptions options_;
};

// The rows of arrays that have equally many: from_tensor_slices({{"image", x}, {"label", y}}). A
// pair is named "x" and "y", a single array "x"; in {arrays, y}, y comes last, and in {arrays,
// labels} the labels follow under their own names. std::vectors of numbers or texts may stand for
// arrays.
Dataset from_tensor_slices(const Example& arrays,
                           SourceLocation location = SourceLocation::current());
Dataset from_tensor_slices(const std::pair<ArrayLike, ArrayLike>& arrays,
                           SourceLocation location = SourceLocation::current());
// With weights of the samples, "sample_weight": from_tensor_slices({x, y, weights}).
Dataset from_tensor_slices(const std::tuple<ArrayLike, ArrayLike, ArrayLike>& arrays,
                           SourceLocation location = SourceLocation::current());
Dataset from_tensor_slices(const std::pair<Example, ArrayLike>& arrays,
                           SourceLocation location = SourceLocation::current());
Dataset from_tensor_slices(const std::pair<Example, Example>& arrays,
                           SourceLocation location = SourceLocation::current());
Dataset from_tensor_slices(const Literal& array,
                           SourceLocation location = SourceLocation::current());
// One element.
Dataset from_tensors(const Example& element);
// The numbers 0, 1, … below `stop`; or from `start` on by `step`. i64 "value".
Dataset range(int64_t stop);
Dataset range(int64_t start, int64_t stop, int64_t step = 1,
              SourceLocation location = SourceLocation::current());
// Elements that a function returns, until it returns nothing. `make` is called for each epoch and
// returns that function.
//   from_generator(make, {.output_signature = {{"tokens", {-1}, DType::i64}}})
Dataset from_generator(std::function<std::function<std::optional<Example>()>()> make,
                       GeneratorOptions options = {},
                       SourceLocation location = SourceLocation::current());
// The records of TFRecord files, as string scalars "record". The files are opened once here, so
// that a wrong path is reported at once.
Dataset tfrecords(Paths files, TFRecordOptions options = {},
                  SourceLocation location = SourceLocation::current());
// The lines of text files, as string scalars "line", without their "\n" or "\r\n":
// tf.data.TextLineDataset.
Dataset text_lines(Paths files, io::Compression compression = io::Compression::none,
                   SourceLocation location = SourceLocation::current());
// The paths that match a pattern (io::glob), as string scalars "path", shuffled anew in each epoch:
// tf.data.Dataset.list_files.
Dataset list_files(const std::string& pattern, ListFilesOptions options = {},
                   SourceLocation location = SourceLocation::current());
// Records of `record_bytes` each, as string scalars "record": tf.data.FixedLengthRecordDataset.
Dataset fixed_length_records(Paths files, int64_t record_bytes, FixedLengthOptions options = {},
                             SourceLocation location = SourceLocation::current());
// The lines of CSV files, a scalar for each column: tf.data.experimental.CsvDataset.
//   csv({"iris.csv"}, {{"length", DType::f32}, {"species", DType::string}}, {.header = true})
// A field that does not fit is an InvalidArgument that names file, line and column.
Dataset csv(Paths files, std::vector<CsvColumn> columns, CsvOptions options = {},
            SourceLocation location = SourceLocation::current());
// Reads what Dataset::save wrote.
Dataset load(const std::string& path, SourceLocation location = SourceLocation::current());
// Elements side by side, as long as all datasets have one. Where two arrays have the same name, all
// are named like a tuple's items: "x", "y", "x2", "x3".
Dataset zip(const std::vector<Dataset>& datasets,
            SourceLocation location = SourceLocation::current());
// Numbers from 0 to 2^63 - 1 without end, "value", i64: tf.data.Dataset.random.
//   data::zip({batches, data::random()})                      // to draw by in a map
Dataset random(RandomOptions options = {}, SourceLocation location = SourceLocation::current());
// The elements of several datasets mixed at random, each dataset in its own order.
Dataset sample_from_datasets(const std::vector<Dataset>& datasets, SampleOptions options = {},
                             SourceLocation location = SourceLocation::current());
// The next element of the dataset whose number `choices`, integer scalars, gives.
Dataset choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                             bool stop_on_empty_dataset = true,
                             SourceLocation location = SourceLocation::current());

}  // namespace data
}  // namespace systolic::inline v0
