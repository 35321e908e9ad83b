#include "systolic/base/spans/spans.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/spans/recording.h"
#include "systolic/base/spans/thread_spans.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace spans {
namespace {

constexpr size_t most_works = size_t{1} << 17;

// All works that were ever asked for, and the threads that recorded. Never destroyed: threads may
// outlive static objects.
struct Registry {
  static Registry& instance() {
    static auto* const registry = new Registry;
    return *registry;
  }

  std::mutex mutex;  // guards all of it
  std::vector<Work> works = {Work{}, Work{.name = "more"}};
  std::unordered_map<std::string, WorkId> ids;
  std::vector<std::shared_ptr<ThreadSpans>> threads;
  bool is_recording = false;
};

std::string key_of(const Work& work) {
  return str(static_cast<int>(work.kind), '\n', work.name, '\n', work.layer, '\n', work.file, '\n',
             work.line, '\n', work.flops, '\n', work.bytes, '\n', work.member_of);
}

thread_local WorkId innermost = no_work;
thread_local std::string own_name;
thread_local std::shared_ptr<ThreadSpans> own_spans;

ThreadSpans& spans_of_this_thread() {
  if (own_spans == nullptr) {
    own_spans = std::make_shared<ThreadSpans>(own_name);
    Registry& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    registry.threads.push_back(own_spans);
  }
  return *own_spans;
}

}  // namespace

WorkId id_of(const Work& work) {
  Registry& registry = Registry::instance();
  const std::string key = key_of(work);
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.ids.find(key);
  if (found != registry.ids.end()) return found->second;
  if (registry.works.size() >= most_works) return 1;
  const auto id = static_cast<WorkId>(registry.works.size());
  registry.works.push_back(work);
  registry.ids.emplace(key, id);
  return id;
}

WorkId current_work() { return innermost; }

void name_thread(std::string name) {
  if (own_spans != nullptr) own_spans->set_name(name);
  own_name = std::move(name);
}

void Span::begin(WorkId work, int64_t number, bool is_share) {
  if (work == no_work) return;  // recorded from here on, but not when it was to be named
  work_ = work;
  outer_ = std::exchange(innermost, work);
  is_share_ = is_share;
  number_ = number;
  begin_ns_ = steady_ns();
}

void Span::end() {
  innermost = outer_;
  if (!are_recorded()) return;
  const int64_t end_ns = steady_ns();
  // After whoever has collected the recording before, whose chunks are written again.
  spans_of_this_thread().append(recording_number.load(std::memory_order_acquire),
                                {.begin_ns = begin_ns_,
                                 .end_ns = end_ns,
                                 .work = work_,
                                 .is_share = is_share_,
                                 .number = number_});
}

Recording::Recording(size_t most_spans) {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  if (registry.is_recording) {
    raise<FailedPrecondition>({.what = "a profile of this process is being recorded",
                               .wanted = "one at a time",
                               .hint = "ask again when it is over"});
  }
  registry.is_recording = true;
  // Threads that are gone have left theirs here alone.
  std::erase_if(registry.threads, [](const auto& thread) { return thread.use_count() == 1; });
  chunks_left = static_cast<int64_t>(std::max<size_t>(1, most_spans / chunk_spans));
  ++recording_number;
  begin_time_ =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  begin_ns_ = steady_ns();
  recorded_now = true;
}

void Recording::stop() {
  recorded_now = false;
  runs_ = false;
}

Recorded Recording::finish() {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  stop();
  Recorded recorded{
      .begin_time = begin_time_, .duration_ns = steady_ns() - begin_ns_, .works = registry.works};
  for (const auto& thread : registry.threads) {
    recorded.lost += thread->lost(recording_number);
    RecordedThread one{
        .id = thread->id(), .name = thread->name(), .spans = thread->collect(recording_number)};
    // What began before the recording did is no part of it.
    std::erase_if(one.spans, [&](const RecordedSpan& span) { return span.begin_ns < begin_ns_; });
    for (RecordedSpan& span : one.spans) {
      span.begin_ns -= begin_ns_;
      span.end_ns -= begin_ns_;
    }
    if (!one.spans.empty()) recorded.threads.push_back(std::move(one));
  }
  registry.is_recording = false;
  return recorded;
}

Recording::~Recording() {
  if (!runs_) return;
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  stop();
  registry.is_recording = false;
}

}  // namespace spans
}  // namespace systolic::inline v0
