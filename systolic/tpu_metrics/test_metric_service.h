// Answers of libtpu's metric service, for this folder's tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/protobuf/message.h"

namespace systolic {
namespace test_metrics {

using protobuf::Message;

inline Message metric_of(const Message& attribute_value, const Message& gauge) {
  return Message()
      .message(1, Message().bytes(1, "device-id").message(2, attribute_value))
      .message(3, gauge);
}
inline Message metric(int device, const Message& gauge) {
  return metric_of(Message().integer(3, device), gauge);
}
inline Message metric(std::string_view device, const Message& gauge) {
  return metric_of(Message().bytes(1, device), gauge);
}

inline std::string response(std::string_view name, const std::vector<Message>& metrics) {
  Message metric = Message().bytes(1, name).bytes(2, "what it is");
  for (const Message& one : metrics) metric.message(3, one);
  return Message().message(1, metric).data();
}

}  // namespace test_metrics
}  // namespace systolic
