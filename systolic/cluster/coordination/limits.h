// How much one process may make another hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systolic::inline v0 {
namespace cluster {

inline constexpr int most_message_bytes = (1 << 24) + (1 << 12);  // a value and what names it
inline constexpr uint64_t most_value_bytes = uint64_t{1} << 24;
inline constexpr size_t most_service_bytes = size_t{1} << 29;  // of all requests being read

}  // namespace cluster
}  // namespace systolic::inline v0
