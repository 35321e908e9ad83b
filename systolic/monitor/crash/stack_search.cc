#include "systolic/monitor/crash/stack_search.h"

#include <ucontext.h>

#include <algorithm>

#include "systolic/monitor/crash/executable_maps.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t most_ranges = 256;
constexpr uintptr_t most_searched_bytes = 64 << 10;

// Where the code of files lies, and the end of the stack.
struct CodeRanges {
  std::array<std::pair<uintptr_t, uintptr_t>, most_ranges> code;
  size_t count = 0;
  uintptr_t stack = 0, stack_end = 0;
};

void add_range(void* context, const MappedRange& range) {
  auto& ranges = *static_cast<CodeRanges*>(context);
  if (range.executable && range.of_file && ranges.count < most_ranges) {
    ranges.code[ranges.count++] = {range.begin, range.end};
  }
  if (ranges.stack >= range.begin && ranges.stack < range.end) ranges.stack_end = range.end;
}

bool is_code(const CodeRanges& ranges, uintptr_t address) {
  return std::any_of(ranges.code.begin(), ranges.code.begin() + ranges.count,
                     [&](const auto& one) { return address >= one.first && address < one.second; });
}

// Whether a call stands before it, as the x86-64 has them: e8 and four bytes, or ff /2 in its
// forms.
bool follows_a_call([[maybe_unused]] const CodeRanges& ranges, [[maybe_unused]] uintptr_t address) {
#ifdef __x86_64__
  constexpr uintptr_t longest = 7;
  if (!is_code(ranges, address - longest)) return false;
  const auto* const end = reinterpret_cast<const unsigned char*>(address);
  constexpr unsigned char near_call = 0xE8, indirect = 0xFF, operation = 0x38, call = 0x10;
  if (end[-5] == near_call) return true;
  for (const int bytes : {2, 3, 4, 6, 7}) {
    if (end[-bytes] == indirect && (end[1 - bytes] & operation) == call) return true;
  }
#endif
  return false;
}

}  // namespace

InterruptedPlace interrupted_place([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return {static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP])};
#elif defined(__aarch64__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return {registers.pc, registers.sp};
#else
  return {};
#endif
}

void begin_at(ThreadStack& stack, uintptr_t code) {
  if (code == 0) return;  // a call of a null pointer, or not known
  void** const begin = stack.frames.data();
  void** const end = begin + stack.frame_count;
  void** const found = std::find(begin, end, reinterpret_cast<void*>(code));
  if (found == end) {
    stack.frames[0] = reinterpret_cast<void*>(code);
    stack.frame_count = 1;
  } else {
    stack.frame_count = static_cast<int32_t>(std::move(found, end, begin) - begin);
  }
  stack.sure_count = stack.frame_count;
}

#if defined(__clang__) || defined(__GNUC__)
__attribute__((no_sanitize("address")))
#endif
void find_more_frames(ThreadStack& stack, uintptr_t from) {
  if (from == 0 || stack.frame_count == 0) return;
  CodeRanges ranges;
  ranges.stack = from;
  each_mapped_range(add_range, &ranges);
  const auto last = reinterpret_cast<uintptr_t>(stack.frames[stack.frame_count - 1]);
  if (is_code(ranges, last)) return;
  const uintptr_t end = std::min(ranges.stack_end, from + most_searched_bytes);
  constexpr uintptr_t word = sizeof(uintptr_t);
  for (uintptr_t at = (from + word - 1) / word * word; at + word <= end; at += word) {
    const uintptr_t value = *reinterpret_cast<const uintptr_t*>(at);
    if (!is_code(ranges, value) || !follows_a_call(ranges, value)) continue;
    if (stack.frame_count == static_cast<int32_t>(most_frames)) return;
    stack.frames[static_cast<size_t>(stack.frame_count++)] = reinterpret_cast<void*>(value);
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
