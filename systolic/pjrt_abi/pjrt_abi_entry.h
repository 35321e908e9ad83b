// How a function of PJRT's table is declared next to its arguments, for pjrt_abi.h and
// pjrt_abi_served.h.
#pragma once

#include <cstddef>

namespace systolic::inline v0 {
namespace pjrt {
namespace abi {

// The slot of the function that takes Args, its published name, and how much of Args we know. The
// size ends after the last member: what alignment adds would be read as members to come.
template <class Args>
struct Entry;

}  // namespace abi
}  // namespace pjrt
}  // namespace systolic::inline v0

// Within namespace abi.
#define SYSTOLIC_PJRT_ENTRY(args, number, published, last)                                     \
  template <>                                                                                  \
  struct Entry<args> {                                                                         \
    static constexpr size_t slot = number;                                                     \
    static constexpr const char* name = published;                                             \
    static constexpr size_t struct_size = offsetof(args, last) + sizeof(decltype(args::last)); \
  }
