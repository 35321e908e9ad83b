// Whether this program was compiled with AddressSanitizer, ThreadSanitizer or MemorySanitizer,
// under which memory comes from elsewhere and everything takes many times as long.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SYSTOLIC_IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SYSTOLIC_IS_SANITIZED true
#endif
#endif
#ifndef SYSTOLIC_IS_SANITIZED
#define SYSTOLIC_IS_SANITIZED false
#endif

namespace systolic::inline v0 {

inline constexpr bool is_sanitized = SYSTOLIC_IS_SANITIZED;

}  // namespace systolic::inline v0

#undef SYSTOLIC_IS_SANITIZED
