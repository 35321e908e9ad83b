// In place of metric_reader.cc in builds without libcurl.
#include "systolic/tpu_metrics/metric_reader.h"

namespace systolic::inline v0 {
namespace tpu_metrics {

struct MetricReader::State {};

MetricReader::MetricReader(std::vector<int> /*ports*/, double /*silent_seconds*/) {}
MetricReader::~MetricReader() = default;
std::vector<monitor::DeviceMetric> MetricReader::read() { return {}; }

}  // namespace tpu_metrics
}  // namespace systolic::inline v0
