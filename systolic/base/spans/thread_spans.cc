#include "systolic/base/spans/thread_spans.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace systolic::inline v0 {
namespace spans {

int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ThreadSpans::ThreadSpans(std::string name) : id_(syscall(SYS_gettid)), name_(std::move(name)) {}

void ThreadSpans::begin(int64_t recording) {
  count_.store(0, std::memory_order_relaxed);
  lost_.store(0, std::memory_order_relaxed);
  recording_.store(recording, std::memory_order_release);
}

void ThreadSpans::append(int64_t recording, const RecordedSpan& span) {
  if (recording_.load(std::memory_order_relaxed) != recording) begin(recording);
  const size_t count = count_.load(std::memory_order_relaxed);
  const size_t chunk = count / chunk_spans;
  if (count % chunk_spans == 0) {
    if (chunk >= most_chunks || chunks_left.fetch_sub(1, std::memory_order_relaxed) <= 0) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique<Chunk>();
  }
  (*chunks_[chunk])[count % chunk_spans] = span;
  count_.store(count + 1, std::memory_order_release);
}

std::vector<RecordedSpan> ThreadSpans::collect(int64_t recording) const {
  if (recording_.load(std::memory_order_acquire) != recording) return {};
  const size_t count = count_.load(std::memory_order_acquire);
  std::vector<RecordedSpan> spans;
  spans.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    spans.push_back((*chunks_[i / chunk_spans])[i % chunk_spans]);
  }
  return spans;
}

int64_t ThreadSpans::lost(int64_t recording) const {
  return recording_.load(std::memory_order_acquire) == recording ? lost_.load() : 0;
}

void ThreadSpans::set_name(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

std::string ThreadSpans::name() const {
  const std::lock_guard lock(mutex_);
  return name_;
}

}  // namespace spans
}  // namespace systolic::inline v0
