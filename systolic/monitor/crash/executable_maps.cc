#include "systolic/monitor/crash/executable_maps.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace systolic::inline v0 {
namespace monitor {
namespace {

// Up to `stop`, which is taken off the text with it.
uintptr_t take_hexadecimal(std::string_view& text, char stop) {
  uintptr_t number = 0;
  while (!text.empty()) {
    const char digit = text.front();
    text.remove_prefix(1);
    if (digit == stop) break;
    const int value = digit >= '0' && digit <= '9'   ? digit - '0'
                      : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                                     : 0;
    number = number << 4 | static_cast<uintptr_t>(value);
  }
  return number;
}

}  // namespace

MappedRange range_of_line(std::string_view line) {
  MappedRange range{.line = line};
  std::string_view rest = line;
  range.begin = take_hexadecimal(rest, '-');
  range.end = take_hexadecimal(rest, ' ');
  range.writable = rest.size() > 1 && rest[1] == 'w';
  range.executable = rest.size() > 2 && rest[2] == 'x';
  const size_t path = rest.find('/');
  const bool generated = path != rest.npos && rest.substr(path).starts_with("/memfd:");
  range.of_file = path != rest.npos && !generated;
  return range;
}

void each_mapped_range(void (*visit)(void* context, const MappedRange& range), void* context) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 2048> buffer;
  std::array<char, 512> line;
  size_t used = 0;
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      const char character = buffer[static_cast<size_t>(i)];
      if (character != '\n') {
        if (used < line.size()) line[used++] = character;
        continue;
      }
      visit(context, range_of_line({line.data(), used}));
      used = 0;
    }
  }
  close(file);
}

}  // namespace monitor
}  // namespace systolic::inline v0
