#include "backends/cpu/engine.h"

#include <algorithm>

#include "backends/cpu/buffer.h"
#include "backends/cpu/kernels/instruction_set.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

Engine::Engine(TpuKind kind, int cores, ThreadPool& pool)
    : kind_(std::move(kind)),
      topology_(cores),
      pool_(pool),
      on_one_core_(static_cast<size_t>(topology_.cores())),
      peaks_(static_cast<size_t>(topology_.cores())) {
  kernels::limit_instruction_set();
}

Engine::Turn::Turn(Engine& engine, const std::string& program) : engine_(engine) {
  if (engine_.runner_.load() == std::this_thread::get_id()) {
    raise<FailedPrecondition>(
        {.what = str("program '", program, "' is run by a function that a running program calls"),
         .wanted = "a function that computes on the host",
         .hint = "run it before or after the program that calls the function"});
  }
  engine_.run_mutex_.lock();
  engine_.runner_ = std::this_thread::get_id();
}

Engine::Turn::~Turn() {
  engine_.held_by_run_ = 0;
  engine_.runner_ = std::thread::id();
  engine_.run_mutex_.unlock();
}

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
  return std::max<int64_t>(bytes, held_by_run_);
}

void Engine::reset() {
  const std::lock_guard running(run_mutex_);
  const std::lock_guard lock(mutex_);
  for (CpuBuffer* buffer = first_; buffer != nullptr; buffer = buffer->next_) buffer->release();
  arena_.reset();
}

template <class Change>
void Engine::change_clocks(int core, const Change& change) {
  const std::lock_guard lock(mutex_);
  if (core != all_cores) {
    change(own_clocks_.try_emplace(core, clock_).first->second);
    return;
  }
  change(clock_);
  for (auto& [number, clock] : own_clocks_) change(clock);
}

void Engine::change_memory(int core, int64_t bytes) {
  if (core == all_cores) {
    on_all_cores_ += bytes;
    if (bytes > 0) note_peak(core, 0);
    return;
  }
  some_on_one_core_ = true;
  on_one_core_[static_cast<size_t>(core)] += bytes;
  if (bytes > 0) note_peak(core, 0);
}

void Engine::note_peak(int core, int64_t bytes) {
  const auto raise_to = [](std::atomic<int64_t>& peak, int64_t held) {
    int64_t before = peak;
    while (held > before && !peak.compare_exchange_weak(before, held)) {
    }
  };
  const int64_t held = on_all_cores_ + bytes;
  // Most programs hold the same on each core: one look is enough.
  if (core == all_cores && !some_on_one_core_ && peaks_.front() >= held) return;
  for (size_t i = 0; i < peaks_.size(); ++i) {
    if (core != all_cores && static_cast<size_t>(core) != i) continue;
    raise_to(peaks_[i], held + on_one_core_[i]);
  }
}

void Engine::begin_run(int core, int64_t bytes) {
  note_peak(core, bytes);
  held_by_run_ = on_all_cores_.load();
  const auto now = runtime::CoreClock::Clock::now();
  change_clocks(core, [&](runtime::CoreClock& clock) { clock.begin_run(now); });
}

void Engine::end_run(int core, const runtime::CostStats& work) {
  const auto now = runtime::CoreClock::Clock::now();
  change_clocks(core, [&](runtime::CoreClock& clock) { clock.end_run(work, now); });
}

void Engine::add_input_wait(double seconds) {
  const auto now = runtime::CoreClock::Clock::now();
  change_clocks(all_cores, [&](runtime::CoreClock& clock) { clock.input_waited(seconds, now); });
}

runtime::CoreCounters Engine::counters(int core) const {
  if (core < 0 || core >= cores()) {
    raise<InvalidArgument>(
        {.what = str("counters of core ", core), .wanted = str("one of the ", cores(), " cores")});
  }
  const std::lock_guard lock(mutex_);
  const auto own = own_clocks_.find(core);
  runtime::CoreCounters counters = (own == own_clocks_.end() ? clock_ : own->second).read();
  counters.peak_memory_bytes = peaks_[static_cast<size_t>(core)];
  return counters;
}

void Engine::reset_counters() {
  const std::lock_guard lock(mutex_);
  clock_ = runtime::CoreClock();
  own_clocks_.clear();
  for (auto& peak : peaks_) peak = 0;
  note_peak(all_cores, 0);
}

}  // namespace cpu
}  // namespace systolic::inline v0
