#include "systolic/monitor/monitor.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/events/every_run.h"
#include "systolic/monitor/crash/crash_keeper.h"
#include "systolic/monitor/crash/dead_runs.h"
#include "systolic/monitor/profile/profile_server.h"
#include "systolic/monitor/profile/record_profile.h"
#include "systolic/monitor/sampler/sampler.h"
#include "systolic/monitor/shared_memory/status_writer.h"
#include "systolic/monitor/web/web_server.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// "", "off" or an address.
std::string_view environment() {
  const char* text = std::getenv("SYSTOLIC_MONITOR");
  return text == nullptr ? "" : text;
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

  void read_device_metrics_by(std::function<std::vector<DeviceMetric>()> read) {
    const std::lock_guard lock(mutex_);
    device_metrics_ = std::move(read);
  }

  void serve(const WebAddress& address) {
    const std::string name = to_string(address);
    {
      const std::lock_guard lock(mutex_);
      if (process_ != getpid() || ended_ || !served_.insert(name).second) return;
    }
    const auto server =
        std::make_shared<WebServer>(address, WebServerOptions{.record = record_for});
    log_info(str("The run is shown at ", server->url()));
    sampler().publish_to([server](const RunStatus& status) { server->publish(status); });
  }

 private:
  // Null in a process that was forked from the one that opened the device.
  EventSinkPtr begin_run() {
    {
      const std::lock_guard lock(mutex_);
      if (process_ != getpid() || ended_) return nullptr;
    }
    return sampler().watch_run();
  }

  // Made when there is something to watch, and no sooner: what was made before is destroyed after
  // end().
  Sampler& sampler() {
    const std::lock_guard lock(mutex_);
    if (sampler_ == nullptr) {
      sampler_ = std::make_unique<Sampler>(
          SamplerOptions{.device = [this] { return client(); }, .device_metrics = device_metrics_});
      std::atexit([] { instance().end(); });
      sampler_->publish_to([this](const RunStatus& status) { write(status); });
    }
    return *sampler_;
  }

  void write(const RunStatus& status) {
    note_for_crashes(status);
    if (!writer_) {
      keep_what_dead_runs_said();
      writer_.emplace();
      serve_profiles();
    }
    writer_->write(status);
  }

  // `systolic profile` then finds nobody who answers.
  void serve_profiles() {
    try {
      profiles_.emplace();
    } catch (const std::exception& error) {
      log_once(LogLevel::warning, str("No profile can be asked for from outside: ", error.what()));
    }
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
    profiles_.reset();
    writer_.reset();
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;  // guards what follows
  std::weak_ptr<runtime::Client> client_;
  std::function<std::vector<DeviceMetric>()> device_metrics_;
  bool watches_ = false, ended_ = false;
  std::set<std::string> served_;  // addresses
  std::unique_ptr<Sampler> sampler_;
  std::optional<StatusWriter> writer_;  // of the sampler's thread, as the next
  std::optional<ProfileServer> profiles_;
};

}  // namespace

void watch_runs(const runtime::ClientPtr& client) {
  keep_crashes();
  set_profiled_device(client);
  if (environment() != "off") ProcessMonitor::instance().use(client);
}

void read_device_metrics_by(std::function<std::vector<DeviceMetric>()> read) {
  if (environment() != "off") ProcessMonitor::instance().read_device_metrics_by(std::move(read));
}

void serve(std::string_view address, SourceLocation location) {
  const std::string_view asked = address.empty() ? environment() : address;
  if (asked.empty() || asked == "off") return;
  std::optional<WebAddress> parsed;
  if (!address.empty()) parsed = parse_web_address(asked, location);
  try {
    if (!parsed) parsed = parse_web_address(asked, location);
    ProcessMonitor::instance().serve(*parsed);
  } catch (const InvalidArgument& error) {  // no variable of the environment ends a training
    log_once(LogLevel::warning,
             str("The run is shown on no page, for SYSTOLIC_MONITOR is wrong: ", error.what()));
  } catch (const Error& error) {
    log_warning(str("The run is shown on no page: ", error.what()));
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
