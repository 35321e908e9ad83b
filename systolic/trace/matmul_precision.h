// How a program multiplies matrices of f32 on a software TPU whose processor has a matrix unit of
// bf16 (AMX). Devices with plugins multiply by their own rules, and so does another processor.
//
//   "float32"   in f32.
//   "bf16_x6"   each number in three of bf16, six products of those summed in f32: jax's
//               BF16_BF16_F32_X6. Errors are those of f32 or smaller, and large products take 0.6
//               to 0.9 times as long (docs/software_tpu.md). Parts below 2^-126 count as 0: numbers
//               below 2^-110 lose bits. Products with infinities, NaN or numbers from 2^127 on are
//               multiplied in f32.
//   "auto"      "bf16_x6" in predict and evaluate; "float32" in fit and in functions, as gradients
//               may be as small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {

class MatmulPrecision {
 public:
  template <size_t n>
  consteval MatmulPrecision(const char (&name)[n])
      : way_(way(std::string_view(name, n - 1))) {}  // NOLINT

  // Whether products are split, of a program for which "auto" stands for `by_default`.
  constexpr bool splits(bool by_default) const {
    return way_ == Way::automatic ? by_default : way_ == Way::bf16_x6;
  }

 private:
  enum class Way : uint8_t { automatic, float32, bf16_x6 };
  static consteval Way way(std::string_view name) {
    if (name == "auto") return Way::automatic;
    if (name == "float32") return Way::float32;
    if (name != "bf16_x6") throw "matmul_precision must be \"auto\", \"float32\" or \"bf16_x6\"";
    return Way::bf16_x6;
  }

  Way way_;
};

}  // namespace systolic::inline v0
