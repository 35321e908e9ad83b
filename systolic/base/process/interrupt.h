// Ctrl-C while something runs that must end in order: a fit, or files that are half written.
//
//   const InterruptGuard interrupt;
//   while (more() && !interrupt.requested()) step();
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

inline constexpr int interrupted_exit_code = 130;  // 128 + SIGINT, as shells have it

// Catches SIGINT while it lives; the previous handler is put back when the last guard is gone. One
// Ctrl-C stops all that is guarded at the time; a second ends the process at once. Threads may have
// guards of their own.
class InterruptGuard {
 public:
  enum class Catches : uint8_t {
    always,
    unless_ignored,  // where SIGINT is ignored, as in a shell's background jobs, it stays so
    never,           // the program's own handler stays, and nothing is ever requested
  };
  explicit InterruptGuard(Catches catches = Catches::always);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Whether Ctrl-C was pressed since the first of the guards that live now was made.
  bool requested() const;

 private:
  bool catches_;
};

// std::exit, once all guards of other threads are gone: nobody computes while static objects go.
[[noreturn]] void exit_interrupted();

}  // namespace systolic::inline v0
