#include "systolic/events/background_sink.h"

#include <chrono>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/base/threads/start_thread.h"
#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {
namespace {

// Waking a thread takes microseconds, which steps of a tenth of a millisecond would feel: events of
// steps are fetched from time to time.
constexpr auto fetch_interval = std::chrono::milliseconds(100);
constexpr size_t most_waiting = 4096;

// Numbers that come with every step: the next tell about as much.
bool is_of_a_step(const Event& event) {
  return std::holds_alternative<events::StepEnd>(event) ||
         std::holds_alternative<events::LossKnown>(event) ||
         std::holds_alternative<events::EvaluationStep>(event);
}

// What must be asked on the thread of the run is left out.
Event for_another_thread(Event event) {
  if (auto* begin = std::get_if<events::RunBegin>(&event)) {
    begin->read_weights = {};
    begin->model_json = {};
  }
  return event;
}

}  // namespace

BackgroundSink::BackgroundSink(EventSinkPtr sink) : sink_(std::move(sink)) {
  waiting_.reserve(most_waiting);
  thread_ = try_start_thread([this] { run(); });
  if (!thread_) warn_of_missing_threads("event sinks are told at once, between the steps");
}

BackgroundSink::~BackgroundSink() {
  if (!thread_) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_->join();
}

void BackgroundSink::handle(const events::Moment& at, const Event& event) {
  const bool of_a_step = is_of_a_step(event);
  if (!thread_) return hand_over({{at, event}});
  {
    const std::lock_guard lock(mutex_);
    if (of_a_step && waiting_.size() >= most_waiting) {
      ++missed_;
      return;
    }
    waiting_.push_back({at, for_another_thread(event)});
    if (of_a_step) return;
    urgent_ = true;
  }
  changed_.notify_one();
}

void BackgroundSink::run() {
  std::vector<Told> told;
  told.reserve(most_waiting);
  for (bool ends = false; !ends;) {
    int64_t missed = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, fetch_interval, [this] { return urgent_ || ends_; });
      std::swap(told, waiting_);
      missed = std::exchange(missed_, 0);
      urgent_ = false;
      ends = ends_;
    }
    hand_over(told);
    told.clear();
    if (missed > 0) warn_of_missed(missed);
  }
}

void BackgroundSink::hand_over(const std::vector<Told>& told) {
  for (const Told& one : told) {
    if (failed_) return;
    failed_ = !tell(*sink_, one.at, one.event);
  }
}

void BackgroundSink::warn_of_missed(int64_t missed) {
  if (std::exchange(said_missed_, true) || failed_) return;
  log_warning(str("An event sink is slower than the steps: it was not told of ", missed,
                  " of them, and may miss more."));
}

}  // namespace systolic::inline v0
