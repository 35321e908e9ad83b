#include "systolic/monitor/crash/crash_keeper.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <vector>

#include "systolic/events/every_run.h"
#include "systolic/monitor/crash/crash_watch.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// Never destroyed: std::exit within a run ends it.
class CrashKeeper {
 public:
  static CrashKeeper& instance() {
    static auto* const keeper = new CrashKeeper;
    return *keeper;
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(begun_, true)) return;
    add_to_every_run([this] { return watch_run(); });
    std::atexit([] { instance().end(); });
  }

  void note(const RunStatus& status) {
    for (const auto& watch : watches()) watch->note(status);
  }

 private:
  EventSinkPtr watch_run() {
    const std::string folder = crash_folder();
    if (folder.empty() || process_ != getpid()) return nullptr;
    auto watch = std::make_shared<CrashWatch>(folder);
    const std::lock_guard lock(mutex_);
    std::erase_if(watches_, [](const auto& one) { return one.expired(); });
    watches_.push_back(watch);
    return watch;
  }

  std::vector<std::shared_ptr<CrashWatch>> watches() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<CrashWatch>> alive;
    for (const auto& one : watches_) {
      if (auto watch = one.lock()) alive.push_back(std::move(watch));
    }
    return alive;
  }

  void end() {
    if (process_ != getpid()) return;
    for (const auto& watch : watches()) watch->end();
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;  // guards what follows
  bool begun_ = false;
  std::vector<std::weak_ptr<CrashWatch>> watches_;
};

}  // namespace

void keep_crashes() { CrashKeeper::instance().begin(); }

void note_for_crashes(const RunStatus& status) { CrashKeeper::instance().note(status); }

}  // namespace monitor
}  // namespace systolic::inline v0
