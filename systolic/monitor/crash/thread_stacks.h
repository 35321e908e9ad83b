// Where the threads of this process are, from a signal handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace systolic::inline v0 {
namespace monitor {

inline constexpr size_t most_stack_threads = 64, most_frames = 48;

struct ThreadStack {
  int64_t thread = 0;
  std::array<char, 16> name = {};
  int32_t frame_count = 0;  // 0: it did not answer in time
  // How many of these the unwinder found. It stops at code that was generated while the program
  // ran; the others were found by looking through the stack for what may be a return address.
  int32_t sure_count = 0;
  std::array<void*, most_frames> frames = {};  // return addresses, innermost first
};

struct ThreadStacks {
  int32_t count = 0;
  int64_t all = 0;  // threads there are; the first `count` follow, the one that asked first
  std::array<ThreadStack, most_stack_threads> list = {};
};

// Before the others are used: takes a real-time signal, and loads what unwinds. False where the
// signal is taken already; then only the asking thread's stack is known.
bool prepare_thread_stacks();

// The stack of the calling thread alone. `interrupted`: what a handler of signals is given as
// ucontext_t, whose place is then the innermost; null: outside of one.
void own_stack(ThreadStacks& stacks, const void* interrupted = nullptr);

// The stacks of all threads. The others stop for ever: only for processes that are about to end.
void all_stacks_for_ever(ThreadStacks& stacks, const void* interrupted);

}  // namespace monitor
}  // namespace systolic::inline v0
