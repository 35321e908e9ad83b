// Work that may hang in someone else's code, with a deadline that names where it hung.
//
//   run_with_deadline("opening libtpu.so", 60, [&](Phase& phase) {
//     phase.enter("PJRT_Plugin_Initialize");
//     ...
//   });
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace systolic::inline v0 {
namespace pjrt {

// What the work is doing now. Thread-safe.
class Phase {
 public:
  void enter(std::string name);
  std::string name() const;

 private:
  mutable std::mutex mutex_;
  std::string name_ = "start";
};

// Runs the work on a separate thread and waits; what it throws is thrown here. After the deadline:
// DeadlineExceeded, "opening libtpu.so took longer than 60 seconds; it is in
// PJRT_Plugin_Initialize", and the thread is abandoned, so everything that `work` refers to must be
// its own (captured by value, in shared_ptr).
void run_with_deadline(const std::string& what, double seconds, std::function<void(Phase&)> work,
                       const std::string& hint = "");

}  // namespace pjrt
}  // namespace systolic::inline v0
