#include "systolic/monitor/monitor.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "systolic/events/every_run.h"
#include "systolic/monitor/sampler/sampler.h"
#include "systolic/monitor/shared_memory/status_writer.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

bool is_off() {
  const char* text = std::getenv("SYSTOLIC_MONITOR");
  return text != nullptr && std::string_view(text) == "off";
}

// The sampler of this process and where it publishes. Never destroyed: end() ends it, while all
// static objects are still there.
class ProcessMonitor {
 public:
  static ProcessMonitor& instance() {
    static auto* const monitor = new ProcessMonitor;
    return *monitor;
  }

  void use(const runtime::ClientPtr& client) {
    const std::lock_guard lock(mutex_);
    client_ = client;
    if (std::exchange(watches_, true)) return;
    add_to_every_run([this] { return begin_run(); });
  }

 private:
  // Null in a process that was forked from the one that opened the device.
  EventSinkPtr begin_run() {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid() || ended_) return nullptr;
    if (sampler_ == nullptr) {
      sampler_ = std::make_unique<Sampler>(SamplerOptions{.device = [this] { return client(); }});
      // Here, and not before: what was made earlier is destroyed later.
      std::atexit([] { instance().end(); });
      sampler_->publish_to([this](const RunStatus& status) { write(status); });
    }
    return sampler_->watch_run();
  }

  void write(const RunStatus& status) {
    if (!writer_) writer_.emplace();
    writer_->write(status);
  }

  runtime::ClientPtr client() {
    const std::lock_guard lock(mutex_);
    return client_.lock();
  }

  // A forked process has neither the thread nor a file of its own.
  void end() {
    if (process_ != getpid()) return;
    std::unique_ptr<Sampler> sampler;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      sampler = std::move(sampler_);
    }
    sampler.reset();
    writer_.reset();
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;  // guards what follows
  std::weak_ptr<runtime::Client> client_;
  bool watches_ = false, ended_ = false;
  std::unique_ptr<Sampler> sampler_;
  std::optional<StatusWriter> writer_;  // of the sampler's thread
};

}  // namespace

void watch_runs(const runtime::ClientPtr& client) {
  if (!is_off()) ProcessMonitor::instance().use(client);
}

}  // namespace monitor
}  // namespace systolic::inline v0
