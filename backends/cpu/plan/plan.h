// A compiled program of the software TPU: a flat list of steps over memory whose layout is known.
//
// Every array lies at a Place: in the arena that all temporaries share, in an argument, in a
// result, or in a constant. Running resolves the places to pointers once, then calls the steps in
// order: nothing is looked up or allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "systolic/base/thread_pool.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace cpu {

using PlaceId = int32_t;
inline constexpr PlaceId no_place = -1;

// What a step sees while it runs: its places as pointers.
class Frame {
 public:
  Frame(const std::vector<std::byte*>& pointers, ThreadPool& pool)
      : pointers_(pointers.data()), pool_(&pool) {}

  template <class T = std::byte>
  T* at(PlaceId place) const {
    return reinterpret_cast<T*>(pointers_[place]);
  }
  ThreadPool& pool() const { return *pool_; }

 private:
  std::byte* const* pointers_;
  ThreadPool* pool_;
};

struct Step {
  std::function<void(const Frame&)> run;
  std::string text;  // "dot_general f32[32,128]", for dumps and profiles
  double flops = 0;
  double bytes = 0;
};

// Runs steps one after the other.
void run_steps(const std::vector<Step>& steps, const Frame& frame);

// Where a place lies.
struct Slot {
  enum class Kind : uint8_t { arena, argument, result, constant };
  Kind kind = Kind::arena;
  int32_t index = 0;   // which argument, result or constant
  int64_t offset = 0;  // bytes
};

// How a result gets its memory.
struct PlanResult {
  int64_t bytes = 0;
  int64_t aliased_argument = -1;  // takes that argument's memory
};

struct Plan {
  std::vector<Step> steps;
  std::vector<Slot> slots;  // by PlaceId
  std::vector<Literal> constants;
  int64_t arena_bytes = 0;
  std::vector<int64_t> argument_bytes;
  std::vector<PlanResult> results;
  double flops = 0;  // of one run
  double bytes = 0;  // read and written by one run

  // One line a step, for people.
  std::string text() const;
};

}  // namespace cpu
}  // namespace systolic::inline v0
