#include "systolic/monitor/json_text.h"

namespace systolic::inline v0 {
namespace monitor {

std::string json(std::string_view text) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20) {
      result += {'\\', 'u', '0', '0', hexadecimal[byte >> 4], hexadecimal[byte & 15]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

JsonObject& JsonObject::add_text(std::string_view name, std::string_view value) {
  text_ += str(text_.empty() ? "" : ",", json(name), ":", value);
  return *this;
}

}  // namespace monitor
}  // namespace systolic::inline v0
