#include "systolic/events/logs.h"

#include <array>
#include <charconv>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {

double log_value(const Logs& logs, std::string_view name, SourceLocation location) {
  std::vector<std::string> names;
  for (const auto& [known, value] : logs) {
    if (known == name) return value;
    names.push_back(known);
  }
  if (names.empty()) {
    raise<NotFound>({.what = str("there is no '", name, "' in the logs: they are empty"),
                     .hint = "the logs of single steps are read for callbacks whose "
                             "wants_batch_logs() returns true",
                     .location = location});
  }
  raise<NotFound>({.what = str("there is no '", name, "' in the logs"),
                   .wanted = str("one of: ", join(names)),
                   .hint = "metrics are computed where compile({.metrics = {...}}) names them",
                   .location = location});
}

std::string log_number_text(double value) {
  if (!std::isfinite(value)) return str(value);
  if (std::abs(value) > 1e-3 || value == 0) return fixed(value, 4);
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, 4);
  return {buffer.data(), end.ptr};
}

std::string logs_text(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs) {
    text += str(text.empty() ? "" : " - ", name, ": ", log_number_text(value));
  }
  return text;
}

}  // namespace systolic::inline v0
