// Counts what the program allocates with `new`, in place of the library's operators. Tests alone;
// for one source of a test's program, since a program may have only one such operator.
//
//   const int64_t before = allocations();
//   ...                                      // on this thread
//   EXPECT_EQ(allocations() - before, 0);
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SYSTOLIC_OTHER_OPERATORS
#endif
#elif defined(__SANITIZE_THREAD__)
#define SYSTOLIC_OTHER_OPERATORS
#endif

namespace systolic::inline v0 {

// ThreadSanitizer links operators of its own, and a program has one of each: nothing is counted.
#ifdef SYSTOLIC_OTHER_OPERATORS
inline constexpr bool counts_allocations = false;
#else
inline constexpr bool counts_allocations = true;
#endif

inline int64_t& allocations() {
  thread_local int64_t count = 0;
  return count;
}

}  // namespace systolic::inline v0

#ifndef SYSTOLIC_OTHER_OPERATORS
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++systolic::allocations();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// The library's own would come from elsewhere, and its memory be freed here.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++systolic::allocations();
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
#endif
