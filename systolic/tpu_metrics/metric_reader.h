// Reads what libtpu says of the TPU that this process uses.
//
//   MetricReader reader(metric_ports());
//   for (const auto& metric : reader.read()) ...   // "tpu.runtime.tensorcore.dutycycle.percent"
#pragma once

#include <memory>
#include <vector>

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace tpu_metrics {

// The ports of this machine at which libtpu serves: those of TPU_RUNTIME_METRICS_PORTS
// ("8431,8432"), else 8431. InvalidArgument where that variable has something else.
std::vector<int> metric_ports();

class MetricReader {
 public:
  // `silent_seconds`: how long nobody is asked after none has answered.
  explicit MetricReader(std::vector<int> ports, double silent_seconds = 30);
  ~MetricReader();
  MetricReader(const MetricReader&) = delete;
  MetricReader& operator=(const MetricReader&) = delete;

  // What the ports answer, each metric within half a second; none where nobody does, and in builds
  // without libcurl.
  std::vector<monitor::DeviceMetric> read();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpu_metrics
}  // namespace systolic::inline v0
