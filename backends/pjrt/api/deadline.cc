#include "backends/pjrt/api/deadline.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/threads/start_thread.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr error;
  Phase phase;
};

void run(const std::shared_ptr<Shared>& shared, std::function<void(Phase&)> work) {
  std::exception_ptr error;
  try {
    work(shared->phase);
  } catch (...) {
    error = std::current_exception();
  }
  work = nullptr;  // what it holds is released before the waiting thread goes on
  const std::lock_guard lock(shared->mutex);
  shared->done = true;
  shared->error = error;
  shared->changed.notify_all();
}

}  // namespace

void Phase::enter(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}
std::string Phase::name() const {
  const std::lock_guard lock(mutex_);
  return name_;
}

void run_with_deadline(const std::string& what, double seconds, std::function<void(Phase&)> work,
                       const std::string& hint) {
  const auto shared = std::make_shared<Shared>();
  // What the work holds is let go where it ends, not where the thread does.
  const auto held = std::make_shared<std::function<void(Phase&)>>(std::move(work));
  if (auto thread = try_start_thread([shared, held] { run(shared, std::move(*held)); })) {
    thread->detach();
  } else {
    warn_of_missing_threads(str(what, " may take any time"));
    run(shared, std::move(*held));
  }
  std::unique_lock lock(shared->mutex);
  const bool in_time = shared->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                                                [&] { return shared->done; });
  if (!in_time) {
    raise<DeadlineExceeded>({.what = str(what, " took longer than ", seconds, " seconds; it is in ",
                                         shared->phase.name()),
                             .hint = hint});
  }
  if (shared->error) std::rethrow_exception(std::exchange(shared->error, nullptr));
}

}  // namespace pjrt
}  // namespace systolic::inline v0
