#include "systolic/train/callbacks/saving/path_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

// What printf calls a format of Python's; empty where it is none. Without one, numbers are as
// short as they can be.
std::string printf_format(const std::string& format) {
  if (format.empty()) return "%.15g";
  size_t at = format[0] == '0' ? 1 : 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < format.size() && is_ascii_digit(format[at])) ++at;
    return at - begin;
  };
  constexpr size_t most_digits = 2;
  if (digits() > most_digits) return {};
  if (at < format.size() && format[at] == '.') {
    ++at;
    const size_t count = digits();
    if (count == 0 || count > most_digits) return {};
  }
  const std::string kind = at == format.size() ? "g" : format.substr(at);
  const bool has_digits = format.find('.') != std::string::npos;
  if (kind == "d") return has_digits ? "" : str("%", format.substr(0, at), "lld");
  const bool known = kind == "e" || kind == "f" || kind == "g";
  return known ? str("%", format.substr(0, at), kind) : "";
}

std::string printed(const std::string& format, double value) {
  char text[512];  // 309 digits, a point, 99 more
  const int size = format.back() == 'd' ? std::snprintf(text, sizeof text, format.c_str(),
                                                        static_cast<long long>(value))
                                        : std::snprintf(text, sizeof text, format.c_str(), value);
  return std::string(text, static_cast<size_t>(std::clamp<int>(size, 0, sizeof text - 1)));
}

[[noreturn]] void raise_no_pattern(const std::string& pattern, const std::string& what,
                                   SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str("the path '", pattern, "' has ", what),
       .wanted = "names in braces, with a format or none: {epoch:02d}, {val_loss:.2f}, {loss}",
       .hint = "{{ and }} stand for braces",
       .location = location});
}

}  // namespace

PathPattern::PathPattern(const std::string& pattern, SourceLocation location)
    : pattern_(pattern), location_(location) {
  std::string text;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    const bool doubled = at + 1 < pattern.size() && pattern[at + 1] == c;
    if ((c == '{' || c == '}') && doubled) ++at;
    if (c == '}' && !doubled) raise_no_pattern(pattern, "a '}' without its '{'", location);
    if (c != '{' || doubled) {
      text += c;
      continue;
    }
    const size_t end = pattern.find('}', at);
    if (end == std::string::npos) raise_no_pattern(pattern, "a '{' without its '}'", location);
    const std::string inside = pattern.substr(at + 1, end - at - 1);
    const size_t colon = std::min(inside.find(':'), inside.size());
    const std::string format =
        printf_format(colon < inside.size() ? inside.substr(colon + 1) : std::string());
    if (colon == 0 || format.empty()) raise_no_pattern(pattern, str("'{", inside, "}'"), location);
    fields_.push_back({std::exchange(text, {}), inside.substr(0, colon), format});
    at = end;
  }
  fields_.push_back({text, {}, {}});
}

std::string PathPattern::name_with(std::string_view prefix) const {
  for (const Field& field : fields_) {
    if (field.name.starts_with(prefix)) return field.name;
  }
  return {};
}

bool PathPattern::names_besides(const std::vector<std::string>& names) const {
  return std::any_of(fields_.begin(), fields_.end(), [&](const Field& field) {
    return !field.name.empty() && std::find(names.begin(), names.end(), field.name) == names.end();
  });
}

std::string PathPattern::filled(const Logs& values) const {
  std::string path;
  for (const Field& field : fields_) {
    path += field.text;
    if (field.name.empty()) continue;
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& one) { return one.first == field.name; });
    if (found == values.end()) {
      std::vector<std::string> names;
      for (const auto& one : values) names.push_back(one.first);
      raise<NotFound>({.what = str("the path '", pattern_, "' names '", field.name,
                                   "', which is not among the logs"),
                       .wanted = str("some of ", join(names)),
                       .hint = field.name.starts_with("val_")
                                   ? "fit with validation_data logs values of that name"
                                   : "",
                       .location = location_});
    }
    if (field.format.back() == 'd' &&
        !(std::abs(found->second) < 9e18 && found->second == std::floor(found->second))) {
      raise<InvalidArgument>({.what = str("the path '", pattern_, "' has '", field.name,
                                          "' as an integer, which is ", found->second),
                              .hint = str("{", field.name, ":.2f} writes two digits of it"),
                              .location = location_});
    }
    path += printed(field.format, found->second);
  }
  return path;
}

}  // namespace systolic::inline v0
