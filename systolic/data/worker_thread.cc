#include "systolic/data/worker_thread.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "systolic/data/options.h"

namespace systolic::inline v0 {
namespace data {

WorkerThread::WorkerThread(int niceness, std::function<void()> body)
    : thread_([niceness, run = std::move(body)] {
        // On Linux the niceness is that of the thread. Where it cannot be lowered the thread just
        // competes.
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)),
                      std::clamp(niceness, 0, 19));
        run();
      }) {}

int thread_count(int asked) {
  if (asked != autotune) return std::max(asked, 1);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace data
}  // namespace systolic::inline v0
