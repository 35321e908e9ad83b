// Large blocks, each mapped by itself, whose pages go back to the system when they are idle.
// Internal to the pool.
#pragma once

#include <cstddef>

namespace systolic::inline v0 {
namespace blocks {

// A block of a class from first_mapped_class on; nullptr where the system has no more.
void* allocate_mapped(size_t size_class) noexcept;
void free_mapped(void* block, size_t size_class) noexcept;

}  // namespace blocks
}  // namespace systolic::inline v0
