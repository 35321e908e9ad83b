#include "systolic/monitor/profile/profile_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "systolic/base/text.h"
#include "systolic/monitor/profile/columns.h"
#include "systolic/monitor/profile/layer_costs.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t most_lines = 10;

// Three digits that count, with the unit's thousand: "1.23 G", "45.6 M".
std::string quantity(double number) {
  constexpr std::array<const char*, 6> units = {"", " k", " M", " G", " T", " P"};
  if (!(number > 0) || !std::isfinite(number)) return "-";
  size_t unit = 0;
  constexpr double thousand = 1000, rounds_up = 999.5;
  while (number >= rounds_up && unit + 1 < units.size()) {
    number /= thousand;
    ++unit;
  }
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return str(fixed(number, digits), units[unit]);
}

std::string percent(double part, double whole) {
  if (!(whole > 0)) return "-";
  const double value = 100 * part / whole;
  return str(fixed(value, value < 0.0995 && value > 0 ? 3 : 1), " %");
}

std::string milliseconds(double seconds) { return str(fixed(1e3 * seconds, 3), " ms"); }

std::string place_of(const Cost& cost) {
  if (cost.line == 0) return "";
  const size_t slash = cost.file.rfind('/');
  return str(" at ", cost.file.substr(slash == std::string::npos ? 0 : slash + 1), ":", cost.line);
}

std::string first_line(const Profile& profile, const TimeUse& use) {
  std::string text = str(profile.program, ", process ", profile.process);
  if (!profile.platform.empty()) {
    text += str(", on ", profile.platform, " ", profile.device_kind, " with ", profile.cores,
                profile.cores == 1 ? " core" : " cores");
  }
  text += str(": ", fixed(use.total, 3), " s");
  if (use.steps > 0) {
    text += str(", ", with_commas(use.steps), use.steps == 1 ? " step of " : " steps of ",
                milliseconds(use.total / static_cast<double>(use.steps)));
  }
  return text;
}

std::string second_line(const TimeUse& use) {
  const double other = std::max(0.0, use.total - use.programs - use.waits_for_input);
  std::string text =
      str("the device computes in ", percent(use.programs, use.total),
          " of the time, waits for input in ", percent(use.waits_for_input, use.total),
          ", for the program in ", percent(other, use.total));
  if (use.waits_for_threads > 0) {
    text += str("; in ", percent(use.waits_for_threads, use.programs),
                " of its own it waits for its slowest thread");
  }
  return text;
}

class CostTable {
 public:
  CostTable(std::span<const Cost> costs, int64_t steps, bool is_of_ops)
      : costs_(costs), steps_(static_cast<double>(std::max<int64_t>(steps, 1))), ops_(is_of_ops) {
    for (const Cost& cost : costs) total_ += cost.seconds;
  }

  void add_to(std::vector<std::string>& lines, bool per_step) const {
    lines.push_back(str(right("share", 8), right(per_step ? "a step" : "time", 14),
                        right("flops", 10), right("bytes", 10), right("flops/s", 10),
                        right("bytes/s", 10), right("roofline", 10), "  bound by  ",
                        ops_ ? "op" : "layer"));
    for (const Cost& cost : costs_.first(std::min(costs_.size(), most_lines))) {
      lines.push_back(line(cost));
    }
    if (costs_.size() > most_lines) {
      double rest = 0;
      for (const Cost& cost : costs_.subspan(most_lines)) rest += cost.seconds;
      lines.push_back(str(right(percent(rest, total_), 8), right(milliseconds(rest / steps_), 14),
                          "  ", costs_.size() - most_lines, " others"));
    }
  }

 private:
  std::string line(const Cost& cost) const {
    const bool known = cost.roofline_seconds > 0;
    const bool computes = cost.compute_seconds >= cost.memory_seconds;
    return str(right(percent(cost.seconds, total_), 8),
               right(milliseconds(cost.seconds / steps_), 14),
               right(quantity(cost.flops / steps_), 10), right(quantity(cost.bytes / steps_), 10),
               right(quantity(cost.flops / cost.seconds), 10),
               right(quantity(cost.bytes / cost.seconds), 10),
               right(known ? percent(cost.roofline_seconds, cost.seconds) : "-", 10), "  ",
               !known     ? "-         "
               : computes ? "compute   "
                          : "memory    ",
               name(cost));
  }

  std::string name(const Cost& cost) const {
    const std::string layer = cost.layer.empty() ? "(no layer)" : cost.layer;
    return ops_ ? str(cost.op, " in ", layer, place_of(cost)) : str(layer, place_of(cost));
  }

  const std::span<const Cost> costs_;
  const double steps_;
  const bool ops_;
  double total_ = 0;
};

}  // namespace

std::vector<std::string> profile_text(const Profile& profile) {
  const TimeUse use = time_use(profile);
  std::vector<std::string> lines = {first_line(profile, use), second_line(use)};
  if (profile.recorded.lost > 0) {
    lines.push_back(str(with_commas(profile.recorded.lost),
                        " spans came when there was no more room: record fewer steps"));
  }
  const std::vector<Cost> layers = layer_costs(profile), ops = op_costs(profile);
  if (layers.empty()) {
    lines.push_back("of the device's own work nothing was recorded");
  } else {
    lines.push_back("");
    CostTable(layers, use.steps, false).add_to(lines, use.steps > 0);
    lines.push_back("");
    CostTable(ops, use.steps, true).add_to(lines, use.steps > 0);
  }
  return lines;
}

}  // namespace monitor
}  // namespace systolic::inline v0
