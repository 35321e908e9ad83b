#include "systolic/data/transformations/batch.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Asks for the cache lines of [start + from, start + to). An address, not a pointer: it may lie
// outside the array.
void prefetch_lines(const void* start, int64_t from, int64_t to) {
  const auto address = reinterpret_cast<uintptr_t>(start);
  for (int64_t at = from; at < to; at += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + static_cast<uintptr_t>(at)));
  }
}

bool alike(const Example& a, const Example& b) {
  if (a.size() != b.size()) return false;
  for (size_t c = 0; c < a.size(); ++c) {
    const Literal &x = a.value(c), &y = b.value(c);
    if (x.dtype() != y.dtype() || !(x.shape() == y.shape()) || a.name(c) != b.name(c)) return false;
  }
  return true;
}

// Checks that the elements can be stacked, and prefetches their data on the way: after a shuffle
// they lie anywhere in memory, and waiting for them one by one would cost more than copying them.
void check_alike(std::span<const Example> elements, std::string_view label, int64_t first_index) {
  const Example& first = elements.front();
  constexpr size_t ahead = 8;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Example& element = elements[i];
    if (i + ahead < elements.size() && !elements[i + ahead].empty()) {
      prefetch_lines(&*elements[i + ahead].begin(), 0,
                     static_cast<int64_t>(first.size() * sizeof(Example::Component)));
    }
    if (alike(element, first)) {
      // The line before the data holds the count that is lowered when the element goes.
      for (const auto& [name, value] : element) prefetch_lines(value.raw(), -64, 64);
      continue;
    }
    const auto index = first_index + static_cast<int64_t>(i);
    raise<InvalidArgument>(
        {.what = str(label, ", element ", index, ": ", element),
         .wanted = str("the same names, types and shapes as element ", first_index, ": ", first),
         .hint = "give all elements one shape with a map before it (resize, pad), or use "
                 "padded_batch"});
  }
}

Literal stack_numbers(std::span<const Example> elements, size_t c) {
  const Literal& first = elements.front().value(c);
  Literal result(first.dtype(),
                 first.shape().with_inserted(0, static_cast<int64_t>(elements.size())));
  const size_t bytes = first.byte_size();
  std::byte* out = result.mutable_raw();
  if (bytes == 0) return result;
  constexpr size_t ahead = 4;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i + ahead < elements.size()) {
      const std::byte* soon = elements[i + ahead].value(c).raw();
      prefetch_lines(soon, 0, std::min<int64_t>(static_cast<int64_t>(bytes), 512));
    }
    std::memcpy(out + i * bytes, elements[i].value(c).raw(), bytes);
  }
  return result;
}

Literal stack_strings(std::span<const Example> elements, size_t c) {
  const Shape& shape = elements.front().value(c).shape();
  std::vector<std::string_view> views;
  views.reserve(elements.size() * static_cast<size_t>(shape.elements()));
  for (const Example& element : elements) {
    const Literal& value = element.value(c);
    for (int64_t i = 0; i < value.size(); ++i) {
      views.push_back(value.string_at(i));
      prefetch_lines(views.back().data(), 0,
                     std::min<int64_t>(static_cast<int64_t>(views.back().size()), 1024));
    }
  }
  return Literal::strings(views, shape.with_inserted(0, static_cast<int64_t>(elements.size())));
}

class BatchStage : public Stage {
 public:
  BatchStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t size,
             bool drop_remainder)
      : Stage(context, &node, node.label()),
        node_(node),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder) {}

 protected:
  // One batch at a time: a chunk of batches would hold much memory.
  Chunk produce(int64_t) override {
    if (ended_) return {};
    Chunk elements;
    elements.reserve(static_cast<size_t>(std::min<int64_t>(size_, 1 << 16)));
    while (static_cast<int64_t>(elements.size()) < size_) {
      check_cancelled();
      Chunk chunk = input_->next(size_ - static_cast<int64_t>(elements.size()));
      if (chunk.empty()) {
        ended_ = true;
        break;
      }
      std::move(chunk.begin(), chunk.end(), std::back_inserter(elements));
    }
    if (elements.empty() || (drop_remainder_ && static_cast<int64_t>(elements.size()) < size_))
      return {};
    Chunk batch;
    batch.push_back(stack_elements(elements, node_.label(), index_));
    index_ += static_cast<int64_t>(elements.size());
    return batch;
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("batch_size", size_);
    archive.flag(ended_);
    archive.integer(index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  const Node& node_;
  std::unique_ptr<Stage> input_;
  const int64_t size_;
  const bool drop_remainder_;
  bool ended_ = false;
  int64_t index_ = 0;
};

class BatchNode : public UnaryNode {
 public:
  BatchNode(NodePointer input, int64_t size, BatchOptions options, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        size_(size),
        drop_remainder_(options.drop_remainder) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<BatchStage>(context, *this, input().make(context), size_,
                                        drop_remainder_);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    if (elements < 0) return elements;
    return drop_remainder_ ? elements / size_ : (elements + size_ - 1) / size_;
  }
  int64_t batch_size() const override { return size_; }
  ElementSpec spec() const override {
    ElementSpec spec = input().spec();
    const int64_t elements = input().cardinality();
    const bool always_full = drop_remainder_ || elements == infinite_cardinality;
    for (TensorSpec& row : spec) row.shape = row.shape.with_inserted(0, always_full ? size_ : -1);
    return spec;
  }

 private:
  int64_t size_;
  bool drop_remainder_;
};

class UnbatchStage : public Stage {
 public:
  UnbatchStage(const Context& context, const Node& node, std::unique_ptr<Stage> input)
      : Stage(context, &node, node.label()), node_(node), input_(std::move(input)) {}

 protected:
  Chunk produce(int64_t most) override {
    while (row_ == rows_) {
      check_cancelled();
      Chunk chunk = input_->next(1);
      if (chunk.empty()) return {};
      open(std::move(chunk.front()));
    }
    Chunk result;
    for (; row_ < rows_ && static_cast<int64_t>(result.size()) < most; ++row_) {
      Example::Components parts;
      for (const auto& [name, value] : batch_) parts.push_back({name, value.row(row_)});
      result.push_back(Example(std::move(parts)));
    }
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    archive.element(batch_);
    int64_t row = row_;
    archive.integer(row, 0, INT64_MAX);
    if (!archive.saving()) {
      open(std::move(batch_));
      if (row > rows_) archive.damaged("the row of a batch");
      row_ = row;
    }
    input_->transfer(archive);
  }

 private:
  void open(Example batch) {
    batch_ = std::move(batch);
    row_ = 0;
    rows_ = -1;
    for (const auto& [name, value] : batch_) {
      const int64_t rows = value.rank() == 0 ? -1 : value.shape()[0];
      if (rows < 0 || (rows_ >= 0 && rows != rows_)) {
        raise<InvalidArgument>({.what = str(node_.label(), ": ", batch_),
                                .wanted = "arrays with the same first axis"});
      }
      rows_ = rows;
    }
    rows_ = std::max<int64_t>(rows_, 0);
  }

  const Node& node_;
  std::unique_ptr<Stage> input_;
  Example batch_;
  int64_t row_ = 0, rows_ = 0;
};

class UnbatchNode : public UnaryNode {
 public:
  using UnaryNode::UnaryNode;
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<UnbatchStage>(context, *this, input().make(context));
  }
  int64_t cardinality() const override {
    return input().cardinality() == infinite_cardinality ? infinite_cardinality
                                                         : unknown_cardinality;
  }
  ElementSpec spec() const override {
    ElementSpec spec = input().spec();
    for (TensorSpec& row : spec) row.shape = row.shape.without(0);
    return spec;
  }
};

}  // namespace

Example stack_elements(std::span<const Example> elements, std::string_view label,
                       int64_t first_index) {
  if (elements.empty()) raise<InvalidArgument>({.what = str(label, " of no elements")});
  check_alike(elements, label, first_index);
  Example::Components components;
  for (size_t c = 0; c < elements.front().size(); ++c) {
    const bool strings = elements.front().value(c).dtype() == DType::string;
    components.push_back({elements.front().name(c),
                          strings ? stack_strings(elements, c) : stack_numbers(elements, c)});
  }
  return Example(std::move(components));
}

Dataset Dataset::batch(int64_t batch_size, BatchOptions options, SourceLocation location) const {
  if (batch_size < 1) {
    raise<InvalidArgument>({.what = str("batch(", batch_size, ")"),
                            .wanted = "a size of at least 1",
                            .location = location});
  }
  return Dataset(
      std::make_shared<BatchNode>(node_, batch_size, options, label_at("batch", location)));
}

Dataset Dataset::rebatch(int64_t batch_size, BatchOptions options, SourceLocation location) const {
  return unbatch(location).batch(batch_size, options, location);
}

Dataset Dataset::unbatch(SourceLocation location) const {
  return Dataset(std::make_shared<UnbatchNode>(node_, label_at("unbatch", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
