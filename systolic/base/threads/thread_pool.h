// The threads that compute. One pool serves the engine; the data pipeline has its own threads at
// lower priority.
#pragma once

#include <cstdint>
#include <memory>

#include "systolic/base/function_ref.h"

namespace systolic::inline v0 {

class ThreadPool {
 public:
  // `threads` counts the caller of parallel_for: a pool of 1 starts no thread. At least 1. Where
  // the system gives fewer, a warning says so, and the pool makes do with these.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Calls body(begin, end) for pieces that cover [0, count), each at least `grain` long (except the
  // last), on the caller and the pool's threads, and returns when all are done. Pieces are handed
  // out as threads become free, so that a slow processor gets fewer. The first exception of a body
  // is thrown again here. A call from inside a body runs its whole range on the calling thread, and
  // so does one made while the pool works for another thread.
  void parallel_for(int64_t count, int64_t grain, FunctionRef<void(int64_t, int64_t)> body);

  // Calls body(task, slot) once for each task in [0, tasks). No two calls with the same slot, of
  // [0, slots), run at the same time: for work that needs a scratch buffer for each thread. Each
  // slot begins with its own share of the tasks, which depends only on these numbers, and then
  // helps the others.
  void parallel_tasks(int64_t tasks, int slots, FunctionRef<void(int64_t, int)> body);

  // Calls body(slot) once for each slot in [0, slots): for work that needs one scratch buffer a
  // slot. slots <= threads(): every slot then runs on its own thread if one is free.
  void parallel_slots(int slots, FunctionRef<void(int)> body);

  // While one lives, idle threads of the pool wait by spinning (for steps of microseconds) instead
  // of sleeping.
  class Busy {
   public:
    explicit Busy(ThreadPool& pool);
    ~Busy();
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    ThreadPool& pool_;
  };

  // The engine's pool, made at first use with calibrated_threads().
  static ThreadPool& compute();
  // Processors that really add speed: two virtual processors may share a core. Measured once (about
  // 2 ms), at first use; SYSTOLIC_THREADS in the environment overrides it.
  static int calibrated_threads();

 private:
  struct State;
  // body(begin, end, slot)
  using Job = FunctionRef<void(int64_t, int64_t, int)>;
  void run(int64_t count, int64_t piece, int slots, Job body);
  void stop();
  std::unique_ptr<State> state_;
};

}  // namespace systolic::inline v0
