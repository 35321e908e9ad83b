#include "systolic/base/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Bytes of the first `columns` characters; all where there are no more.
size_t bytes_of_columns(std::string_view text, int columns) {
  size_t end = 0;
  for (int kept = 0; end < text.size(); ++end) {
    if (starts_character(text[end]) && kept++ == columns) break;
  }
  return end;
}

}  // namespace

int terminal_columns(int stream) {
  const char* kind = std::getenv("TERM");
  if (isatty(stream) != 1 || (kind != nullptr && std::string_view(kind) == "dumb")) return 0;
  winsize size{};
  const bool known = ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  constexpr int usual = 80;
  return known ? size.ws_col : usual;
}

std::string bar_text(int columns, int64_t done, int64_t total) {
  // Wide, since another process may have said any number.
  const auto filled = static_cast<int64_t>(
      total <= 0 ? columns : __int128{columns} * std::min(done, total) / total);
  std::string text;
  for (int i = 0; i < columns; ++i) text += i < filled ? "━" : "─";
  return text;
}

int columns_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string cut_to_columns(std::string_view text, int columns) {
  if (columns == 0 || columns_of(text) <= columns) return std::string(text);
  return std::string(text.substr(0, bytes_of_columns(text, columns - 1))) + "…";
}

std::vector<std::string> wrapped_to_columns(std::string_view text, int columns) {
  std::vector<std::string> rows{""};
  for (std::string word : split(text, ' ')) {
    std::string& row = rows.back();
    if (row.empty() || columns_of(row) + 1 + columns_of(word) <= columns) {
      row += (row.empty() ? "" : " ") + word;
    } else {
      rows.push_back(std::move(word));
    }
    while (columns_of(rows.back()) > columns) {
      const size_t end = bytes_of_columns(rows.back(), columns);
      rows.push_back(rows.back().substr(end));
      rows[rows.size() - 2].resize(end);
    }
  }
  return rows;
}

}  // namespace systolic::inline v0
