// Looks at the run of this process and at its device once a second, on a thread of its own, and
// hands what it sees to those who show it.
//
//   Sampler sampler([] { return default_client_if_open(); });
//   sampler.publish_to([&](const RunStatus& status) { file.write(status); });
//   stream.add(sampler.watch_run());
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "systolic/monitor/run_status.h"
#include "systolic/monitor/sampler/core_rates.h"
#include "systolic/monitor/sampler/run_watch.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace monitor {

struct SamplerOptions {
  // The device that the runs use; null where none is open. Called on the sampler's thread.
  std::function<runtime::ClientPtr()> device = {};
  // What its own software says of it; none where that is left out. Called on the same thread.
  std::function<std::vector<DeviceMetric>()> device_metrics = {};
  std::chrono::milliseconds interval{1000};
};

class Sampler {
 public:
  // Called on the sampler's thread; what it throws is a warning, and it is called no more.
  using Publish = std::function<void(const RunStatus&)>;

  explicit Sampler(SamplerOptions options);
  // After a last look, where a run has changed since.
  ~Sampler();

  // A run that begins. It is the one shown from then on; of several at a time, the last to begin.
  EventSinkPtr watch_run();
  // Whoever is to be told next; at once where something is known.
  void publish_to(Publish publish);
  // Looks now, on this thread: for tests, and for what has no thread.
  const RunStatus& look();

 private:
  struct Publisher {
    Publish publish;
    bool failed = false;
  };
  struct Progress {
    double time = 0;
    int64_t steps = 0, samples = 0;
    double sent_bytes = unknown;
  };

  void run();
  bool wait_for_turn();
  void look_and_publish();
  void read_run(const RunWatch& watch);
  void read_device();
  void read_device_metrics();
  void set_speed();
  void changed();

  const SamplerOptions options_;
  std::mutex mutex_;  // guards the next four
  std::condition_variable wake_;
  std::shared_ptr<RunWatch> watch_;
  bool changed_ = false, ends_ = false;
  std::mutex look_mutex_;  // guards what follows
  std::vector<Publisher> publishers_;
  std::unique_ptr<RunStatus> status_ = std::make_unique<RunStatus>();
  CoreReadings readings_;
  std::deque<Progress> progress_;
  std::thread thread_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
