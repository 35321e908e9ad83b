// What this process has mapped, from a signal handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {

// A line of /proc/self/maps: "7f00-7f10 r-xp 00001000 08:01 123   /usr/lib/libc.so.6".
struct MappedRange {
  std::string_view line;  // as long as it is visited
  uintptr_t begin = 0, end = 0;
  bool executable = false, writable = false;
  bool of_file = false;  // it has a path: code that was generated while running has none
};

MappedRange range_of_line(std::string_view line);

// Calls `visit(void* context, range)` for each; safe in signal handlers.
void each_mapped_range(void (*visit)(void* context, const MappedRange& range), void* context);

}  // namespace monitor
}  // namespace systolic::inline v0
