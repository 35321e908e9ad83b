#include "systolic/base/threads/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/floating_point.h"
#include "systolic/base/spans/named_work.h"
#include "systolic/base/text.h"
#include "systolic/base/threads/start_thread.h"
#include "systolic/base/threads/thread_calibration.h"

namespace systolic::inline v0 {
namespace {

// How long an idle thread spins inside Busy before it sleeps: longer than the gap between two steps
// of a small model, shorter than anybody would notice on a processor meter.
constexpr auto spin_time = std::chrono::milliseconds(3);

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// For so long a spinning thread keeps its processor to itself; then others that want it may have it
// between looks.
constexpr auto selfish_time = std::chrono::microseconds(50);

// Spins until ready() or the time is over; says whether it was ready.
template <class Ready>
bool spin_until(Ready ready, std::chrono::steady_clock::duration time) {
  const auto begin = std::chrono::steady_clock::now();
  for (auto spent = time.zero(); spent < time; spent = std::chrono::steady_clock::now() - begin) {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      pause();
    }
    if (spent > selfish_time) std::this_thread::yield();
  }
  return ready();
}

// The gate of the current job in one word, so that entering and closing are one atomic step each:
// number of the job << 32 | open << 31 | threads inside. A thread that wakes up late finds the gate
// closed and holds up nobody.
constexpr uint64_t open_bit = uint64_t{1} << 31;
constexpr uint64_t inside_mask = open_bit - 1;

constinit spans::NamedWork wait_for_threads{spans::WorkKind::wait, "wait for the other threads"};

}  // namespace

// The pieces that one thread takes first; others help out once theirs are done. Thread i gets the
// same share of a range each time, so that what it wrote in one step lies in its own cache in the
// next.
struct alignas(64) Lane {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
};

struct ThreadPool::State {
  explicit State(int threads) : threads(threads), lanes(static_cast<size_t>(threads)) {}

  void work(Job body, int lane);
  void work_on(Lane& lane, Job body, int slot);
  void run(int64_t count, int64_t piece, int slots, Job body);
  void worker(int lane);
  void enter_and_work(int lane);
  void deal(int64_t pieces);
  uint32_t wait_for_news(uint32_t seen);
  void wake(int64_t helpers);

  int threads;  // does not change once the pool is made
  std::vector<std::thread> workers;
  std::atomic<bool> taken{false};  // by one caller of parallel_for at a time
  std::atomic<int> busy{0};
  std::atomic<bool> stop{false};

  alignas(64) std::atomic<uint32_t> news{0};  // grows with each job; idle threads wait for it
  alignas(64) std::atomic<uint64_t> gate{0};
  // The job. Written while the gate is closed and nobody is inside.
  const Job* body = nullptr;
  int64_t count = 0;
  int64_t piece = 1;
  int lanes_in_use = 0;
  uint64_t modes = 0;                        // of the caller's arithmetic
  spans::WorkId span_work = spans::no_work;  // what it is a part of, where that is recorded
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  std::vector<Lane> lanes;  // one a thread; the caller's is the first
};

namespace {
// The pool in whose body this thread is, for calls from inside a body.
thread_local const void* inside_pool = nullptr;
}  // namespace

void ThreadPool::State::work_on(Lane& lane, Job job, int slot) {
  while (true) {
    const int64_t index = lane.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= lane.end) return;
    job(index * piece, std::min((index + 1) * piece, count), slot);
  }
}

// Takes pieces until none is left: this thread's own, then the others'.
void ThreadPool::State::work(Job job, int first) {
  const void* outer = std::exchange(inside_pool, this);
  try {
    for (int i = 0; i < lanes_in_use; ++i) {
      work_on(lanes[static_cast<size_t>((first + i) % lanes_in_use)], job, first);
    }
  } catch (...) {
    if (!failed.exchange(true)) error = std::current_exception();
    for (Lane& lane : lanes) lane.next.store(lane.end, std::memory_order_relaxed);  // no more
  }
  inside_pool = outer;
}

void ThreadPool::State::deal(int64_t pieces) {
  for (int i = 0; i < lanes_in_use; ++i) {
    Lane& lane = lanes[static_cast<size_t>(i)];
    lane.next.store(pieces * i / lanes_in_use, std::memory_order_relaxed);
    lane.end = pieces * (i + 1) / lanes_in_use;
  }
}

void ThreadPool::State::enter_and_work(int lane) {
  uint64_t seen = gate.load(std::memory_order_acquire);
  do {
    if (!(seen & open_bit)) return;
  } while (!gate.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel));
  if (lane < lanes_in_use) {
    if (floating_point_modes() != modes) set_floating_point_modes(modes);
    const spans::ShareSpan span(span_work);
    work(*body, lane);
  }
  const uint64_t before = gate.fetch_sub(1, std::memory_order_acq_rel);
  if (!(before & open_bit) && (before & inside_mask) == 1) gate.notify_one();
}

uint32_t ThreadPool::State::wait_for_news(uint32_t seen) {
  const auto changed = [&] { return news.load(std::memory_order_acquire) != seen; };
  if (busy.load(std::memory_order_relaxed) > 0) spin_until(changed, spin_time);
  news.wait(seen, std::memory_order_acquire);
  return news.load(std::memory_order_acquire);
}

void ThreadPool::State::worker(int lane) {
  spans::name_thread(str("compute ", lane));
  uint32_t seen = 0;
  while (!stop.load(std::memory_order_acquire)) {
    seen = wait_for_news(seen);
    enter_and_work(lane);
  }
}

void ThreadPool::State::wake(int64_t helpers) {
  news.fetch_add(1, std::memory_order_release);
  if (helpers >= threads - 1) {
    news.notify_all();
  } else {
    for (int64_t i = 0; i < helpers; ++i) news.notify_one();
  }
}

void ThreadPool::State::run(int64_t job_count, int64_t job_piece, int slots, Job job) {
  body = &job;
  count = job_count;
  piece = job_piece;
  lanes_in_use = std::min(slots, threads);
  modes = floating_point_modes();
  span_work = spans::are_recorded() ? spans::current_work() : spans::no_work;
  error = nullptr;
  failed.store(false, std::memory_order_relaxed);
  const int64_t pieces = (count + piece - 1) / piece;
  deal(pieces);
  const uint64_t number = (gate.load(std::memory_order_relaxed) >> 32) + 1;
  gate.store(number << 32 | open_bit, std::memory_order_release);
  wake(pieces - 1);

  work(job, 0);

  // Close the gate, then wait for those inside: each is in its last piece.
  uint64_t state = gate.fetch_and(~open_bit, std::memory_order_acq_rel) & ~open_bit;
  const auto empty = [&] {
    state = gate.load(std::memory_order_acquire);
    return (state & inside_mask) == 0;
  };
  if (empty()) return;
  const spans::Span waits(wait_for_threads);
  if (!spin_until(empty, spin_time)) {
    while (!empty()) gate.wait(state, std::memory_order_acquire);
  }
}

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) {
    raise<InvalidArgument>({.what = str("a thread pool of ", threads, " threads"),
                            .wanted = "at least 1",
                            .hint = "1 computes on the calling thread alone"});
  }
  state_ = std::make_unique<State>(threads);
  for (int i = 1; i < threads; ++i) {
    auto worker = try_start_thread([s = state_.get(), i] { s->worker(i); });
    if (!worker) {
      state_->threads = i;
      warn_of_missing_threads(str(i, " of ", threads, " threads compute"));
      break;
    }
    state_->workers.push_back(std::move(*worker));
  }
}

void ThreadPool::stop() {
  state_->stop.store(true, std::memory_order_release);
  state_->news.fetch_add(1, std::memory_order_release);
  state_->news.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
  state_->workers.clear();
}

ThreadPool::~ThreadPool() { stop(); }

int ThreadPool::threads() const { return state_->threads; }

void ThreadPool::parallel_for(int64_t count, int64_t grain,
                              FunctionRef<void(int64_t, int64_t)> body) {
  if (count <= 0) return;
  // Four pieces a thread even out a processor that others use too; more would only cost.
  const int64_t even = (count + 4 * state_->threads - 1) / (4 * state_->threads);
  run(count, std::max({grain, even, int64_t{1}}), state_->threads,
      [&](int64_t begin, int64_t end, int) { body(begin, end); });
}

void ThreadPool::parallel_tasks(int64_t tasks, int slots, FunctionRef<void(int64_t, int)> body) {
  ensure(slots > 0 || tasks <= 0, "tasks need a slot to run in");
  if (tasks <= 0) return;
  run(tasks, 1, slots, [&](int64_t begin, int64_t end, int slot) {
    for (int64_t task = begin; task < end; ++task) body(task, slot);
  });
}

void ThreadPool::parallel_slots(int slots, FunctionRef<void(int)> body) {
  if (slots <= 0) return;
  run(slots, 1, state_->threads, [&](int64_t begin, int64_t end, int) {
    for (int64_t slot = begin; slot < end; ++slot) body(static_cast<int>(slot));
  });
}

void ThreadPool::run(int64_t count, int64_t piece, int slots, Job body) {
  State& state = *state_;
  const bool alone = count <= piece || slots == 1 || state.threads == 1 || inside_pool == &state;
  // A second thread that calls while the pool works for another one computes by itself: no waiting,
  // no deadlock.
  if (alone || state.taken.exchange(true, std::memory_order_acquire)) {
    body(0, count, 0);
    return;
  }
  state.run(count, piece, slots, body);
  std::exception_ptr error = std::exchange(state.error, nullptr);
  state.taken.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
}

ThreadPool::Busy::Busy(ThreadPool& pool) : pool_(pool) { pool_.state_->busy.fetch_add(1); }
ThreadPool::Busy::~Busy() { pool_.state_->busy.fetch_sub(1); }

ThreadPool& ThreadPool::compute() {
  // Never destroyed: other threads may still compute while the process ends.
  static ThreadPool& pool = *new ThreadPool(calibrated_threads());
  return pool;
}

int ThreadPool::calibrated_threads() {
  static const int threads = [] {
    if (const char* text = std::getenv("SYSTOLIC_THREADS")) {
      int64_t value = 0;
      if (parse_number(text, value) && value >= 1 && value <= 4096) return static_cast<int>(value);
      raise<InvalidArgument>({.what = str("SYSTOLIC_THREADS is '", text, "'"),
                              .wanted = "a number from 1 to 4096",
                              .hint = "unset it to let the processors be measured"});
    }
    return measure_useful_threads();
  }();
  return threads;
}

}  // namespace systolic::inline v0
