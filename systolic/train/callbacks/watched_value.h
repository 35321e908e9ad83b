// A logged value that a callback watches: whether it has improved. Internal to callbacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/events/logs.h"

namespace systolic::inline v0 {

class Model;

enum class MonitorMode : uint8_t {
  // What the metric says (metrics/metric.h), or a name with acc, auc, precision or recall in it; a
  // loss is the better the smaller.
  automatic,
  min,
  max
};

class WatchedValue {
 public:
  WatchedValue(std::string name, MonitorMode mode, double min_delta = 0);

  const std::string& name() const { return name_; }
  // Learns from the model which way the value improves, where `mode` leaves that open. A metric of
  // the model's that does not say is an InvalidArgument of `callback`.
  void begin(std::string_view callback, const Model& model, SourceLocation location);
  // What the logs of an epoch, counted from 0, hold; a warning of `callback` where they lack it.
  std::optional<double> value(std::string_view callback, int epoch, const Logs& logs) const;
  // By more than min_delta. NaN beats nothing, and every number beats the worst value.
  bool beats(double value, double other) const {
    return sign_ * value > sign_ * other + min_delta_;
  }
  double worst() const;

 private:
  std::string name_;
  MonitorMode mode_;
  double sign_;  // 1: larger is better
  double min_delta_;
};

}  // namespace systolic::inline v0
