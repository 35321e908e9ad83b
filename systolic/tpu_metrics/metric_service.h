// The messages of libtpu's metric service, tpu.monitoring.runtime.RuntimeMetricService, which a
// process that uses a TPU serves on its own machine: what `tpu-info` shows. The fields' numbers are
// those of that program's tpu_metric_service.proto.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace tpu_metrics {

// Where a metric is asked for by its name.
inline constexpr std::string_view method_path =
    "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric";

// Those that are read. The duty cycle is the part of the last sample period in which a chip's
// TensorCores ran a program: busy time, not the matrix unit's work (MXU %).
inline constexpr std::array<std::string_view, 5> metric_names = {
    "tpu.runtime.tensorcore.dutycycle.percent",      // of each chip
    "tpu.runtime.tensorcore.idle_duration.seconds",  // of each chip
    "tpu.runtime.hbm.memory.usage.bytes",            // of each device
    "tpu.runtime.hbm.memory.total.bytes",            // of each device
    "tpu.runtime.hbm.utilization.percent",           // of each device
};

// MetricRequest: field 1 is the name.
std::string metric_request(std::string_view name);

// The numbers of a MetricResponse, at most `most`. Those that are no number are left out; what
// names no device is counted from 0. InvalidArgument for what is no such message.
std::vector<monitor::DeviceMetric> read_metric_response(std::string_view message, size_t most = 64);

}  // namespace tpu_metrics
}  // namespace systolic::inline v0
