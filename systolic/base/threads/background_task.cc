#include "systolic/base/threads/background_task.h"

#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "systolic/base/threads/start_thread.h"

namespace systolic::inline v0 {

BackgroundTask::~BackgroundTask() {
  if (thread_) thread_->join();
}

void BackgroundTask::start(std::function<void()> work) {
  wait();
  const auto result = std::make_shared<std::promise<void>>();
  result_ = result->get_future();
  const auto held = std::make_shared<std::function<void()>>(std::move(work));
  const auto run = [result, held] {
    std::exception_ptr thrown;
    try {
      (*held)();
    } catch (...) {
      thrown = std::current_exception();
    }
    *held = nullptr;
    thrown ? result->set_exception(thrown) : result->set_value();
  };
  thread_ = try_start_thread(run);
  if (!thread_) run();
}

bool BackgroundTask::poll() {
  if (!result_.valid()) return true;
  if (result_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  wait();
  return true;
}

void BackgroundTask::wait() {
  if (thread_) thread_->join();
  thread_.reset();
  if (result_.valid()) result_.get();
}

}  // namespace systolic::inline v0
