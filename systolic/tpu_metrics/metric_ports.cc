#include <cstdlib>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/tpu_metrics/metric_reader.h"

namespace systolic::inline v0 {
namespace tpu_metrics {

std::vector<int> metric_ports() {
  constexpr int usual = 8431, highest = 65535;
  constexpr size_t most = 16;
  const char* text = std::getenv("TPU_RUNTIME_METRICS_PORTS");
  if (text == nullptr || *text == '\0') return {usual};
  std::vector<int> ports;
  for (const std::string& word : split(text, ',')) {
    int64_t port = 0;
    if (!parse_number(word, port) || port < 1 || port > highest || ports.size() == most) {
      raise<InvalidArgument>({.what = str("TPU_RUNTIME_METRICS_PORTS is '", text, "'"),
                              .wanted = str("at most ", most, " ports, such as 8431,8432")});
    }
    ports.push_back(static_cast<int>(port));
  }
  return ports;
}

}  // namespace tpu_metrics
}  // namespace systolic::inline v0
