// Reading a dataset, element by element.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"
#include "systolic/data/report.h"

namespace systolic::inline v0 {
namespace data {

class Node;

// Owns the running pipeline with its threads. Closing it early is fine: the threads finish what
// they hold and are joined. One thread at a time may use it. Using one that was moved from is a
// FailedPrecondition.
//
//   const std::string state = iterator.save();                 // in one run of the program,
//   data::Iterator iterator = train.iterator(state);           // in the next: reads on from there
//
// A restored iterator gives exactly the elements that the saved one had still to give, in the same
// order: what waits in shuffle buffers and between threads is part of the state, and random draws
// continue where they were. Where `deterministic = false` asked for no order, the same set of
// elements remains. A generator (from_generator) is resumed by calling it as often again.
class Iterator {
 public:
  explicit Iterator(std::shared_ptr<const Node> node);
  // At the place that `saved` holds. DataLoss for damaged bytes, FailedPrecondition for those of
  // another pipeline.
  Iterator(std::shared_ptr<const Node> node, std::string_view saved);
  ~Iterator();
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;

  // The next element; nothing at the end.
  std::optional<Example> next();
  // The current place, as bytes for a file. They include the elements that wait in buffers, so a
  // large shuffle buffer makes a large state. Waits for calls of functions in progress.
  std::string save();
  // Moves this iterator to a place that was saved from the same pipeline.
  void restore(std::string_view saved);
  // What each transformation did, and what limits the pipeline. Any thread may ask.
  PipelineReport report() const;

 private:
  struct State;
  class Reading;
  State& state() const;
  std::unique_ptr<State> state_;
};

// The next element, as in Python: next(iterator). At the end a FailedPrecondition.
Example next(Iterator& iterator, SourceLocation location = SourceLocation::current());

// For range-based for loops.
class ElementIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Example;
  using difference_type = std::ptrdiff_t;

  explicit ElementIterator(Iterator iterator)
      : iterator_(std::make_shared<Iterator>(std::move(iterator))), element_(iterator_->next()) {}
  const Example& operator*() const { return *element_; }
  const Example* operator->() const { return &*element_; }
  ElementIterator& operator++() {
    element_ = iterator_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const ElementIterator& a, std::default_sentinel_t) { return !a.element_; }

 private:
  std::shared_ptr<Iterator> iterator_;
  std::optional<Example> element_;
};

}  // namespace data
}  // namespace systolic::inline v0
