// How the calling thread computes with subnormal numbers, those nearer to 0 than the smallest
// normal one (1.2e-38 in f32).
//
// Processors take tens of cycles longer for a vector that contains one, and training produces them:
// where a gradient stays 0, Adam's moments shrink by the same factor each step until they are
// subnormal.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// Rounding, subnormals and traps of this thread, in the processor's own encoding.
inline uint64_t floating_point_modes() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~uint64_t{0x3f};  // without the flags of what has happened
#elif defined(__aarch64__)
  uint64_t modes;
  asm volatile("mrs %0, fpcr" : "=r"(modes));
  return modes;
#else
  return 0;
#endif
}

inline void set_floating_point_modes(uint64_t modes) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(static_cast<unsigned>(modes));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(modes));
#else
  (void)modes;
#endif
}

// While one lives, subnormal operands and results count as 0 on this thread, as on a TPU, and on
// the threads of a pool while they work for it.
class FlushSubnormals {
 public:
  FlushSubnormals() : before_(floating_point_modes()) {
#if defined(__x86_64__)
    set_floating_point_modes(before_ | 0x8040);  // flush to zero, denormals are zero
#elif defined(__aarch64__)
    set_floating_point_modes(before_ | uint64_t{1} << 24);
#endif
  }
  ~FlushSubnormals() { set_floating_point_modes(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  const uint64_t before_;
};

// While one lives, this thread keeps subnormal numbers, whatever its caller set: what a compiler
// reads of a program must not become 0.
class KeepSubnormals {
 public:
  KeepSubnormals() : before_(floating_point_modes()) {
#if defined(__x86_64__)
    set_floating_point_modes(before_ & ~uint64_t{0x8040});
#elif defined(__aarch64__)
    set_floating_point_modes(before_ & ~(uint64_t{1} << 24));
#endif
  }
  ~KeepSubnormals() { set_floating_point_modes(before_); }
  KeepSubnormals(const KeepSubnormals&) = delete;
  KeepSubnormals& operator=(const KeepSubnormals&) = delete;

 private:
  const uint64_t before_;
};

}  // namespace systolic::inline v0
