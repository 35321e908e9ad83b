// Division of work and of scratch memory. Internal.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// `size` in pieces of `by`, the last one shorter: how many.
constexpr int64_t divided(int64_t size, int64_t by) { return (size + by - 1) / by; }

constexpr int64_t round_up_to(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

// Hands out pieces of scratch memory one after the other; without memory it only counts.
class ScratchCursor {
 public:
  explicit ScratchCursor(void* memory) : memory_(static_cast<float*>(memory)) {}
  float* take(int64_t floats) {
    float* result = memory_ == nullptr ? nullptr : memory_ + taken_;
    taken_ += round_up_to(floats, 16);  // 64 bytes
    return result;
  }
  int64_t taken() const { return taken_; }

 private:
  float* memory_;
  int64_t taken_ = 0;
};

}  // namespace kernels
}  // namespace systolic::inline v0
