#include "systolic/monitor/terminal/numbers.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// Beyond it, which only a file that lies says, no number is converted.
constexpr double most = 1e15;

bool is_shown(double number) { return std::isfinite(number) && std::abs(number) < most; }

std::string two_digits(int64_t number) { return str(number < 10 ? "0" : "", number); }

}  // namespace

std::string percent_text(double percent) {
  if (!is_shown(percent)) return "-";
  const double size = std::abs(percent);
  if (size < 0.00995 && size > 0) return fixed(percent, 4);
  return fixed(percent, size < 9.995 ? 2 : 1);
}

std::string time_text(double seconds) {
  if (!is_shown(seconds)) return "-";
  if (seconds < 1) return str(fixed(seconds, seconds < 0.1 ? 4 : 2), " s");
  const auto whole = static_cast<int64_t>(seconds);
  if (whole < 60) return str(whole, " s");
  const int64_t minutes = whole / 60;
  if (minutes < 60) return str(minutes, ":", two_digits(whole % 60));
  return str(minutes / 60, ":", two_digits(minutes % 60), ":", two_digits(whole % 60));
}

std::string rate_text(double per_second) {
  if (!is_shown(per_second)) return "-";
  if (per_second >= 100) return with_commas(std::llround(per_second));
  return fixed(per_second, 1);
}

std::string clock_text(double time) {
  if (!is_shown(time)) return "-";
  const auto seconds = static_cast<std::time_t>(time);
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return "-";
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &local);
  return text.data();
}

}  // namespace monitor
}  // namespace systolic::inline v0
