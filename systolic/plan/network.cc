#include "systolic/plan/network.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace plan {
namespace {

using Unit = std::pair<std::string_view, double>;

constexpr std::array<Unit, 3> rate_units = {{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}}};
constexpr std::array<Unit, 3> time_units = {{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr double most_bits = 1e13;
constexpr double most_latency = 10;

// "25Gbit": 25e9. Negative where the text is not a number with one of the units.
template <size_t count>
double quantity(std::string_view text, const std::array<Unit, count>& units) {
  for (const auto& [unit, scale] : units) {
    if (text.size() <= unit.size() || text.substr(text.size() - unit.size()) != unit) continue;
    double value = 0;
    if (parse_number(std::string(text.substr(0, text.size() - unit.size())), value)) {
      return value * scale;
    }
  }
  return -1;
}

}  // namespace

Network parse_network(const std::string& text, const std::string& flag) {
  const size_t slash = text.find('/');
  const double bits = quantity(std::string_view(text).substr(0, slash), rate_units);
  Network network{.bytes_per_second = bits / 8, .text = text};
  if (slash != std::string::npos) {
    network.latency_seconds = quantity(std::string_view(text).substr(slash + 1), time_units);
  }
  const bool valid = bits > 0 && bits <= most_bits && network.latency_seconds >= 0 &&
                     network.latency_seconds <= most_latency;
  if (!valid) {
    raise<InvalidArgument>(
        {.what = str(flag, " ", text),
         .wanted = "what a link carries in a second, such as 25Gbit or 400Mbit, and perhaps how "
                   "long a message takes: 25Gbit/20us"});
  }
  return network;
}

Spread spread_over(const Network& network, int64_t processes, int64_t gradient_bytes,
                   double work_seconds) {
  if (processes < 1) {
    raise<InvalidArgument>(
        {.what = str("a plan for ", processes, " processes"), .wanted = "1 or more"});
  }
  Spread spread{.processes = processes, .gradient_bytes = gradient_bytes};
  const auto n = static_cast<double>(processes);
  const auto bytes = static_cast<double>(gradient_bytes);
  const auto seconds_of = [&](double given) {
    return 2 * (n - 1) * (given / n / network.bytes_per_second + network.latency_seconds);
  };
  if (processes > 1 && gradient_bytes > 0) {
    spread.sent_bytes = 2 * (n - 1) / n * bytes;
    spread.exchange_seconds = seconds_of(bytes);
    const double last = seconds_of(std::min(bytes, static_cast<double>(last_bucket_bytes)));
    const double backward = work_seconds * 2 / 3;
    spread.hidden_seconds = std::clamp(spread.exchange_seconds - last, 0.0, backward);
  }
  spread.step_seconds = work_seconds + spread.exchange_seconds - spread.hidden_seconds;
  if (spread.step_seconds > 0) spread.efficiency = work_seconds / spread.step_seconds;
  return spread;
}

}  // namespace plan
}  // namespace systolic::inline v0
