#include "systolic/data/workers/worker_thread.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/spans/spans.h"
#include "systolic/base/threads/thread_calibration.h"
#include "systolic/data/options.h"

namespace systolic::inline v0 {
namespace data {

WorkerThread::WorkerThread(int niceness, std::function<void()> body) try
    : thread_([niceness, run = std::move(body)] {
        // On Linux the niceness is that of the thread. Where it cannot be changed the thread just
        // competes.
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)),
                      std::clamp(niceness, 0, 19));
        spans::name_thread("input");
        run();
      }) {
} catch (const std::system_error& error) {
  raise<ResourceExhausted>(
      {.what = str("no thread for the input pipeline: ", error.what()),
       .hint = "raise the limit of processes (ulimit -u) or ask for fewer threads"});
}

std::vector<std::unique_ptr<WorkerThread>> start_workers(int count, int niceness,
                                                         const std::function<void()>& body) {
  std::vector<std::unique_ptr<WorkerThread>> workers;
  workers.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    try {
      workers.push_back(std::make_unique<WorkerThread>(niceness, body));
    } catch (const ResourceExhausted&) {
      if (workers.empty()) throw;
      break;
    }
  }
  return workers;
}

std::unique_ptr<WorkerThread> start_another(int niceness, std::function<void()> body) {
  try {
    return std::make_unique<WorkerThread>(niceness, std::move(body));
  } catch (const ResourceExhausted&) {
    return nullptr;  // those that run go on
  }
}

bool valid_thread_count(int asked) {
  return asked == autotune || (asked >= 1 && asked <= most_threads);
}

}  // namespace data
}  // namespace systolic::inline v0
