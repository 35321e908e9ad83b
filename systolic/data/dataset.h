// Input pipelines, with the names and the meaning of tf.data (tensorflow.org/guide/data).
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
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/data/element_function.h"
#include "systolic/data/element_spec.h"
#include "systolic/data/iterator.h"
#include "systolic/data/options.h"

namespace systolic::inline v0 {
namespace data {

class Node;

class Dataset {
 public:
  // Applies a function to every element. It takes (const Example&), or the arrays of the element,
  // one or two (const Literal&); it returns an Example, a Literal or a pair of Literals. With
  // num_parallel_calls above 1 it must be safe to call from several threads.
  template <class Function>
  Dataset map(Function function, MapOptions options = {},
              SourceLocation location = SourceLocation::current()) const {
    return map_elements(element_function(std::move(function)), options, location);
  }
  // Keeps the elements for which the function, of the same arguments, returns true.
  template <class Function>
  Dataset filter(Function function, SourceLocation location = SourceLocation::current()) const {
    return filter_elements(element_predicate(std::move(function)), location);
  }

  // Draws every element at random from the next `buffer_size` ones. A buffer as large as the
  // dataset shuffles evenly.
  Dataset shuffle(int64_t buffer_size, ShuffleOptions options = {},
                  SourceLocation location = SourceLocation::current()) const;
  // The dataset `count` times over, without end by default.
  Dataset repeat(int64_t count = infinite_cardinality) const;
  // Stacks `batch_size` elements along a new first axis; they must have equal names, types and
  // shapes.
  Dataset batch(int64_t batch_size, BatchOptions options = {},
                SourceLocation location = SourceLocation::current()) const;
  // The rows of the first axis as elements of their own.
  Dataset unbatch(SourceLocation location = SourceLocation::current()) const;
  // Makes up to `buffer_size` elements ahead of time on a thread of its own.
  Dataset prefetch(int64_t buffer_size, SourceLocation location = SourceLocation::current()) const;
  // The first `count` elements (-1: all), or those behind them.
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  // Every `num_shards`-th element, from the `index`-th on: what worker `index` of several reads.
  Dataset shard(int64_t num_shards, int64_t index,
                SourceLocation location = SourceLocation::current()) const;
  // Keeps all elements in memory when they were read once to the end.
  Dataset cache() const;
  Dataset concatenate(const Dataset& other) const;
  // Puts the running number of each element before its arrays, as i64 "index".
  Dataset enumerate() const;
  // Makes a dataset of each element and reads `cycle_length` of them in turns.
  Dataset interleave(std::function<Dataset(const Example&)> function,
                     InterleaveOptions options = {},
                     SourceLocation location = SourceLocation::current()) const;
  // States how many elements there are; a dataset that ends earlier or later is then an error.
  Dataset assert_cardinality(int64_t expected,
                             SourceLocation location = SourceLocation::current()) const;
  // What a function from Dataset to Dataset makes of this one, so that own stages read in order.
  template <std::invocable<const Dataset&> Function>
  Dataset apply(Function&& function) const {
    return std::forward<Function>(function)(*this);
  }
  // Options for the whole pipeline up to here and all that is built on it.
  Dataset with_options(Options options) const;

  // Names, shapes and types of the elements. Calls the functions of map on the first element.
  ElementSpec element_spec() const;
  // The number of elements, infinite_cardinality or unknown_cardinality.
  int64_t cardinality() const;

  Iterator iterator() const;
  // One that reads on where another one of the same pipeline was saved (Iterator::save()).
  Iterator iterator(std::string_view saved) const;
  // The first element. An empty dataset is a FailedPrecondition.
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

// The rows of arrays with equally many: from_tensor_slices({{"image", x}, {"label", y}}). A pair is
// named "x" and "y", a single array "x".
Dataset from_tensor_slices(const Example& arrays,
                           SourceLocation location = SourceLocation::current());
Dataset from_tensor_slices(const std::pair<Literal, Literal>& arrays,
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
Dataset from_generator(std::function<std::function<std::optional<Example>()>()> make,
                       SourceLocation location = SourceLocation::current());
// The records of TFRecord files, as string scalars "record". The files are opened once here, so
// that a wrong path is said at once.
Dataset tfrecords(std::vector<std::string> files, TFRecordOptions options = {},
                  SourceLocation location = SourceLocation::current());
Dataset tfrecords(const std::string& file, TFRecordOptions options = {},
                  SourceLocation location = SourceLocation::current());
// Elements side by side, as long as all datasets have one. Names must differ.
Dataset zip(const std::vector<Dataset>& datasets,
            SourceLocation location = SourceLocation::current());

}  // namespace data
}  // namespace systolic::inline v0
