#include "systolic/tpu_metrics/metric_service.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/base/protobuf/wire.h"

namespace systolic::inline v0 {
namespace tpu_metrics {
namespace {

using protobuf::WireReader;
using protobuf::WireType;

[[noreturn]] void raise_malformed() {
  raise<InvalidArgument>({.what = "what answers is no message of libtpu's metric service"});
}

// A field of a message, by what it can be read as.
struct Field {
  uint32_t number = 0;
  WireType type = WireType::varint;
  uint64_t bits = 0;       // varint and fixed64
  std::string_view bytes;  // of a text or a message

  double real() const { return std::bit_cast<double>(bits); }
};

void each_field(std::string_view message, const std::function<void(const Field&)>& visit) {
  WireReader reader(message);
  while (!reader.at_end()) {
    Field field;
    bool read = reader.read_tag(field.number, field.type);
    if (read && field.type == WireType::varint) {
      read = reader.read_varint(field.bits);
    } else if (read && field.type == WireType::bytes) {
      read = reader.read_bytes(field.bytes);
    } else if (read && field.type == WireType::fixed64) {
      read = reader.take(sizeof field.bits, field.bytes);
      for (size_t i = field.bytes.size(); i-- > 0;) {
        field.bits = field.bits << 8 | static_cast<unsigned char>(field.bytes[i]);
      }
    } else {
      read = read && reader.skip(field.type);
    }
    if (!read) raise_malformed();
    visit(field);
  }
}

// Gauge: 1 as_double, 2 as_int; texts and truth values are no numbers.
std::optional<double> gauge_value(std::string_view message) {
  std::optional<double> value;
  each_field(message, [&](const Field& field) {
    if (field.number == 1 && field.type == WireType::fixed64) value = field.real();
    if (field.number == 2 && field.type == WireType::varint)
      value = static_cast<double>(static_cast<int64_t>(field.bits));
  });
  return value;
}

// AttributeValue: 1 a text, 3 an integer. Older versions give a device's number as the one, newer
// ones as the other.
std::optional<int32_t> device_number(std::string_view message) {
  std::optional<int64_t> number;
  each_field(message, [&](const Field& field) {
    int64_t parsed = 0;
    if (field.number == 3 && field.type == WireType::varint)
      number = static_cast<int64_t>(field.bits);
    if (field.number == 1 && field.type == WireType::bytes &&
        parse_number(std::string(field.bytes), parsed)) {
      number = parsed;
    }
  });
  const bool fits = number && *number >= 0 && *number <= std::numeric_limits<int32_t>::max();
  return fits ? std::optional(static_cast<int32_t>(*number)) : std::nullopt;
}

// Attribute: 1 key, 2 value.
std::optional<int32_t> device_of_attribute(std::string_view message) {
  std::optional<int32_t> device;
  each_field(message, [&](const Field& field) {
    if (field.number == 2 && field.type == WireType::bytes) device = device_number(field.bytes);
  });
  return device;
}

// Metric: 1 attribute, 3 gauge.
void read_metric(std::string_view message, std::vector<monitor::DeviceMetric>& metrics) {
  monitor::DeviceMetric metric;
  metric.device = static_cast<int32_t>(metrics.size());
  std::optional<double> value;
  each_field(message, [&](const Field& field) {
    if (field.type != WireType::bytes) return;
    if (field.number == 1) metric.device = device_of_attribute(field.bytes).value_or(metric.device);
    if (field.number == 3) value = gauge_value(field.bytes);
  });
  if (!value) return;
  metric.value = *value;
  metrics.push_back(metric);
}

// TPUMetric: 1 name, 3 repeated Metric.
std::vector<monitor::DeviceMetric> read_tpu_metric(std::string_view message, size_t most) {
  std::string name;
  std::vector<monitor::DeviceMetric> metrics;
  each_field(message, [&](const Field& field) {
    if (field.type != WireType::bytes) return;
    if (field.number == 1) name = field.bytes;
    if (field.number == 3 && metrics.size() < most) read_metric(field.bytes, metrics);
  });
  for (monitor::DeviceMetric& metric : metrics) metric.name = name;
  return metrics;
}

}  // namespace

std::string metric_request(std::string_view name) {
  return protobuf::Message().bytes(1, name).data();
}

std::vector<monitor::DeviceMetric> read_metric_response(std::string_view message, size_t most) {
  std::vector<monitor::DeviceMetric> metrics;
  each_field(message, [&](const Field& field) {
    if (field.number == 1 && field.type == WireType::bytes)
      metrics = read_tpu_metric(field.bytes, most);
  });
  return metrics;
}

}  // namespace tpu_metrics
}  // namespace systolic::inline v0
