// Reading a dataset, element by element.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

class Node;

// What one transformation of a running pipeline has done so far.
struct StageReport {
  std::string name;
  int64_t elements = 0;
  int64_t bytes = 0;
  double busy_seconds = 0;     // own work, on all its threads
  double waiting_seconds = 0;  // its reader waited for it
};

// Owns the running pipeline with its threads. Closing it early is fine: the threads finish what
// they hold and are joined. One thread at a time may use it.
class Iterator {
 public:
  explicit Iterator(std::shared_ptr<const Node> node);
  ~Iterator();
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;

  // The next element; nothing at the end.
  std::optional<Example> next();
  // What each transformation did, from the source on.
  std::vector<StageReport> report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The next element, as in Python: next(iterator). At the end a FailedPrecondition.
Example next(Iterator& iterator, SourceLocation location = SourceLocation::current());

// A table of a report: one line a transformation.
std::string to_string(const std::vector<StageReport>& report);

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
