// What ignore_errors() does with the errors of a map's function.
#pragma once

#include <atomic>
#include <cstdint>

namespace systolic::inline v0 {
namespace data {

// For one dataset, for all its iterators and threads.
class IgnoredErrors {
 public:
  explicit IgnoredErrors(bool log_warning) : log_warning_(log_warning) {}
  // For a handler of what the function threw: whether the element may be skipped. Logs the first
  // ones. Not where the iterator is closed or memory ran out, nor after too many in a row: then the
  // function is at fault.
  bool note();
  void note_success() {
    if (in_a_row_.load(std::memory_order_relaxed) != 0) in_a_row_ = 0;
  }

 private:
  void log_first(const char* what);
  const bool log_warning_;
  std::atomic<int64_t> in_a_row_{0}, logged_{0};
};

}  // namespace data
}  // namespace systolic::inline v0
