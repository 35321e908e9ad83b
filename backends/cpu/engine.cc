#include "backends/cpu/engine.h"

#include <algorithm>

#include "backends/cpu/buffer.h"

namespace systolic::inline v0 {
namespace cpu {

using Clock = std::chrono::steady_clock;

Engine::Engine(TpuKind kind, int cores)
    : kind_(std::move(kind)), cores_(cores), counted_until_(Clock::now()) {}

std::byte* Engine::arena(int64_t bytes) {
  if (!arena_ || arena_->bytes() < bytes) {
    arena_.reset();  // first, so that both are never held
    arena_ = std::make_shared<MemoryBlock>(bytes);
  }
  return arena_->data();
}

void Engine::add(CpuBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  buffer.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &buffer;
  first_ = &buffer;
}

void Engine::remove(CpuBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  if (buffer.previous_ != nullptr) buffer.previous_->next_ = buffer.next_;
  if (buffer.next_ != nullptr) buffer.next_->previous_ = buffer.previous_;
  if (first_ == &buffer) first_ = buffer.next_;
}

int64_t Engine::memory_in_use(int core) const {
  const std::lock_guard lock(mutex_);
  int64_t bytes = 0;
  for (const CpuBuffer* buffer = first_; buffer != nullptr; buffer = buffer->next_) {
    bytes += buffer->bytes_on(core);
  }
  return bytes;
}

void Engine::reset() {
  const std::lock_guard running(run_mutex_);
  const std::lock_guard lock(mutex_);
  for (CpuBuffer* buffer = first_; buffer != nullptr; buffer = buffer->next_) buffer->release();
  arena_.reset();
}

void Engine::count_run(double flops, double bytes, Clock::time_point start, Clock::time_point end) {
  const std::lock_guard lock(mutex_);
  counters_.flops += flops;
  counters_.bytes += bytes;
  counters_.busy_seconds += std::chrono::duration<double>(end - start).count();
  if (start > counted_until_) {
    counters_.idle_seconds += std::chrono::duration<double>(start - counted_until_).count();
  }
  counted_until_ = std::max(counted_until_, end);
}

void Engine::add_input_wait(double seconds) {
  const std::lock_guard lock(mutex_);
  counters_.input_wait_seconds += seconds;
}

runtime::CoreCounters Engine::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void Engine::reset_counters() {
  const std::lock_guard lock(mutex_);
  counters_ = {};
  counted_until_ = Clock::now();
}

}  // namespace cpu
}  // namespace systolic::inline v0
