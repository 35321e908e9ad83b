#include "systolic/base/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

namespace systolic::inline v0 {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

int terminal_columns(int stream) {
  const char* kind = std::getenv("TERM");
  if (isatty(stream) != 1 || (kind != nullptr && std::string_view(kind) == "dumb")) return 0;
  winsize size{};
  const bool known = ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  constexpr int usual = 80;
  return known ? size.ws_col : usual;
}

int columns_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string cut_to_columns(std::string_view text, int columns) {
  if (columns == 0 || columns_of(text) <= columns) return std::string(text);
  size_t end = 0;
  for (int kept = 0; end < text.size(); ++end) {
    if (starts_character(text[end]) && kept++ == columns - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace systolic::inline v0
