// Datasets made of several elements of another: window, group_by_window, bucket_by_sequence_length.
#include <algorithm>
#include <deque>
#include <map>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/interleave/interleave.h"
#include "systolic/data/sources/sources.h"

namespace systolic::inline v0 {
namespace data {
namespace {

using MakeDataset = std::function<Dataset(const Dataset&)>;
using KeyOf = std::function<int64_t(const Example&)>;
using Reduce = std::function<Dataset(int64_t, const Dataset&)>;
using SizeOf = std::function<int64_t(int64_t)>;

Dataset dataset_of_elements(Chunk elements) {
  return Dataset(node_of_elements(std::move(elements), "window"));
}

// A window starts at the first element that waits.
class InputsOfWindows : public Inputs {
 public:
  InputsOfWindows(const Context& context, const Node& maker, std::unique_ptr<Stage> elements,
                  int64_t size, WindowOptions options, const MakeDataset& function)
      : Inputs(context, maker),
        elements_(std::move(elements)),
        size_(size),
        shift_(options.shift == 0 ? size : options.shift),
        options_(options),
        function_(function) {}

 protected:
  Chunk next_origin() override {
    gather((size_ - 1) * options_.stride + 1);
    Chunk window;
    for (int64_t i = 0; i < size_ && i * options_.stride < waiting(); ++i) {
      window.push_back(waiting_[static_cast<size_t>(i * options_.stride)]);
    }
    if (options_.drop_remainder && static_cast<int64_t>(window.size()) < size_) return {};
    gather(shift_);
    waiting_.erase(waiting_.begin(), waiting_.begin() + std::min(shift_, waiting()));
    return window;
  }
  NodePointer dataset_of(const Chunk& origin) override {
    return function_(dataset_of_elements(origin)).node();
  }
  void transfer_origins(StateArchive& archive) override {
    archive.expect("size", size_);
    archive.expect("shift", shift_);
    archive.expect("stride", options_.stride);
    archive.elements(waiting_);
    elements_->transfer(archive);
  }

 private:
  int64_t waiting() const { return static_cast<int64_t>(waiting_.size()); }
  void gather(int64_t wanted) {
    while (waiting() < wanted) {
      Chunk chunk = elements_->next(wanted - waiting());
      if (chunk.empty()) return;
      std::move(chunk.begin(), chunk.end(), std::back_inserter(waiting_));
    }
  }

  std::unique_ptr<Stage> elements_;
  const int64_t size_, shift_;
  const WindowOptions options_;
  const MakeDataset& function_;
  std::deque<Example> waiting_;
};

class WindowNode : public UnaryNode {
 public:
  WindowNode(NodePointer input, int64_t size, WindowOptions options, MakeDataset function,
             std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        size_(size),
        options_(options),
        function_(std::move(function)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return make_sequence(context, *this,
                         std::make_unique<InputsOfWindows>(context, *this, input().make(context),
                                                           size_, options_, function_));
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements == infinite_cardinality ? elements : unknown_cardinality;
  }
  ElementSpec spec() const override {
    Chunk first;
    Iterator iterator(input_pointer());
    while (static_cast<int64_t>(first.size()) < size_) {
      auto element = iterator.next();
      if (!element) break;
      first.push_back(std::move(*element));
    }
    return first.empty() ? ElementSpec{} : function_(dataset_of_elements(first)).element_spec();
  }

 private:
  int64_t size_;
  WindowOptions options_;
  MakeDataset function_;
};

// An origin: the key, then the elements.
class InputsOfGroups : public Inputs {
 public:
  InputsOfGroups(const Context& context, const Node& maker, std::unique_ptr<Stage> elements,
                 const KeyOf& key, const Reduce& reduce, const SizeOf& size)
      : Inputs(context, maker),
        elements_(std::move(elements)),
        key_(key),
        reduce_(reduce),
        size_(size),
        label_(maker.label()) {}

 protected:
  Chunk next_origin() override {
    for (;;) {
      Chunk chunk = elements_->next(1);
      if (chunk.empty()) return groups_.empty() ? Chunk{} : take(groups_.begin());
      const int64_t key = key_(chunk.front());
      const int64_t size = size_(key);
      if (size < 1) {
        raise<InvalidArgument>({.what = str(label_, ": a window of ", size, " for key ", key),
                                .wanted = "at least 1 element"});
      }
      const auto group = groups_.try_emplace(key).first;
      group->second.push_back(std::move(chunk.front()));
      if (static_cast<int64_t>(group->second.size()) >= size) return take(group);
    }
  }
  NodePointer dataset_of(const Chunk& origin) override {
    const int64_t key = origin.front().only().item<int64_t>();
    return reduce_(key, dataset_of_elements(Chunk(origin.begin() + 1, origin.end()))).node();
  }
  void transfer_origins(StateArchive& archive) override {
    auto count = static_cast<int64_t>(groups_.size());
    archive.integer(count, 0, INT64_MAX);
    if (archive.saving()) {
      for (auto& [key, elements] : groups_) {
        int64_t copy = key;
        archive.integer(copy, INT64_MIN, INT64_MAX);
        archive.elements(elements);
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        int64_t key = 0;
        archive.integer(key, INT64_MIN, INT64_MAX);
        archive.elements(groups_[key]);
      }
    }
    elements_->transfer(archive);
  }

 private:
  using Groups = std::map<int64_t, Chunk>;
  Chunk take(Groups::iterator group) {
    Chunk origin{Example{{"key", Literal::scalar<int64_t>(group->first)}}};
    std::move(group->second.begin(), group->second.end(), std::back_inserter(origin));
    groups_.erase(group);
    return origin;
  }

  std::unique_ptr<Stage> elements_;
  const KeyOf& key_;
  const Reduce& reduce_;
  const SizeOf& size_;
  const std::string label_;
  Groups groups_;
};

class GroupNode : public UnaryNode {
 public:
  // `of_any` makes, from some elements, the dataset whose spec stands for all, where `reduce` makes
  // another for each key.
  GroupNode(NodePointer input, KeyOf key, Reduce reduce, Reduce of_any, SizeOf size,
            std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        key_(std::move(key)),
        reduce_(std::move(reduce)),
        of_any_(std::move(of_any)),
        size_(std::move(size)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return make_sequence(context, *this,
                         std::make_unique<InputsOfGroups>(context, *this, input().make(context),
                                                          key_, reduce_, size_));
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements == infinite_cardinality ? elements : unknown_cardinality;
  }
  ElementSpec spec() const override {
    Iterator iterator(input_pointer());
    const std::optional<Example> first = iterator.next();
    if (!first) return {};
    return of_any_(key_(*first), dataset_of_elements({*first})).element_spec();
  }

 private:
  KeyOf key_;
  Reduce reduce_, of_any_;
  SizeOf size_;
};

void check_buckets(const std::vector<int64_t>& boundaries, const std::vector<int64_t>& batch_sizes,
                   SourceLocation location) {
  const bool rising = std::adjacent_find(boundaries.begin(), boundaries.end(),
                                         std::greater_equal<>()) == boundaries.end();
  const bool positive =
      std::all_of(batch_sizes.begin(), batch_sizes.end(), [](int64_t size) { return size > 0; });
  if (rising && positive && batch_sizes.size() == boundaries.size() + 1) return;
  raise<InvalidArgument>(
      {.what = str("bucket_by_sequence_length with ", boundaries.size(), " boundaries and ",
                   batch_sizes.size(), " batch sizes"),
       .wanted = "rising boundaries, and one batch size of at least 1 more than these",
       .location = location});
}

PaddedBatchOptions padding_of(const BucketOptions& options) {
  return {.padded_shapes = options.padded_shapes,
          .padding_values = options.padding_values,
          .drop_remainder = options.drop_remainder};
}

// The first axis of every array without a shape of its own is as long as the bucket allows.
PaddedBatchOptions padding_of_bucket(const BucketOptions& options, const Dataset& window,
                                     const std::vector<int64_t>& boundaries, size_t bucket) {
  PaddedBatchOptions padding = padding_of(options);
  if (!options.pad_to_bucket_boundary) return padding;
  if (bucket == boundaries.size()) {
    const int64_t last = boundaries.empty() ? 0 : boundaries.back();
    raise<InvalidArgument>({.what = str("bucket_by_sequence_length: an element of at least ", last,
                                        " with pad_to_bucket_boundary"),
                            .wanted = "all lengths below the last boundary",
                            .hint = "add a boundary above the longest element, or filter it out"});
  }
  for (const TensorSpec& array : window.element_spec()) {
    Shape shape = array.shape;
    if (shape.rank() == 0 || padding.padded_shapes.count(array.name) > 0) continue;
    for (int axis = 1; axis < shape.rank(); ++axis) shape.set(axis, -1);
    shape.set(0, boundaries[bucket] - 1);
    padding.padded_shapes.emplace(array.name, shape);
  }
  return padding;
}

}  // namespace

Windows Dataset::window(int64_t size, WindowOptions options, SourceLocation location) const {
  constexpr int64_t longest = int64_t{1} << 40;
  const bool good = size >= 1 && size <= longest && options.shift >= 0 && options.stride >= 1 &&
                    options.shift <= longest && options.stride <= longest / size;
  if (!good) {
    raise<InvalidArgument>({.what = str("window(", size, ") with shift ", options.shift,
                                        " and stride ", options.stride),
                            .wanted = "at least 1 of each (shift 0: the size)",
                            .location = location});
  }
  return {*this, size, options};
}

Dataset Windows::flat_map(std::function<Dataset(const Dataset&)> function,
                          SourceLocation location) const {
  if (!function) {
    raise<InvalidArgument>({.what = "flat_map with an empty function", .location = location});
  }
  return Dataset(std::make_shared<WindowNode>(elements_.node(), size_, options_,
                                              std::move(function), label_at("window", location)));
}

Dataset Dataset::group_by_window(KeyOf key, Reduce reduce, SizeOf window_size,
                                 SourceLocation location) const {
  if (!key || !reduce || !window_size) {
    raise<InvalidArgument>(
        {.what = "group_by_window with an empty function", .location = location});
  }
  return Dataset(std::make_shared<GroupNode>(node_, std::move(key), reduce, reduce,
                                             std::move(window_size),
                                             label_at("group_by_window", location)));
}

Dataset Dataset::group_by_window(KeyOf key, Reduce reduce, int64_t window_size,
                                 SourceLocation location) const {
  if (window_size < 1) {
    raise<InvalidArgument>({.what = str("group_by_window with a window of ", window_size),
                            .wanted = "at least 1 element",
                            .location = location});
  }
  return group_by_window(
      std::move(key), std::move(reduce), [window_size](int64_t) { return window_size; }, location);
}

Dataset Dataset::bucket_by_sequence_length(KeyOf length, std::vector<int64_t> boundaries,
                                           std::vector<int64_t> batch_sizes, BucketOptions options,
                                           SourceLocation location) const {
  check_buckets(boundaries, batch_sizes, location);
  if (!length) {
    raise<InvalidArgument>(
        {.what = "bucket_by_sequence_length with an empty function", .location = location});
  }
  const KeyOf bucket_of = [length = std::move(length), boundaries](const Example& element) {
    const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), length(element));
    return static_cast<int64_t>(above - boundaries.begin());
  };
  const Reduce batch = [boundaries, batch_sizes, options, location](int64_t bucket,
                                                                    const Dataset& window) {
    const auto index = static_cast<size_t>(bucket);
    if (index >= batch_sizes.size())  // not one of ours: from the state of a saved iterator
      raise<DataLoss>({.what = str("bucket_by_sequence_length: a saved bucket ", bucket)});
    return window.padded_batch(batch_sizes[index],
                               padding_of_bucket(options, window, boundaries, index), location);
  };
  const Reduce of_any = [batch, options, location](int64_t bucket, const Dataset& window) {
    if (!options.pad_to_bucket_boundary) return batch(bucket, window);
    return window.padded_batch(1, padding_of(options), location);
  };
  const SizeOf size = [batch_sizes](int64_t bucket) {
    return batch_sizes.at(static_cast<size_t>(bucket));
  };
  return Dataset(std::make_shared<GroupNode>(node_, bucket_of, batch, of_any, size,
                                             label_at("bucket_by_sequence_length", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
