// How a program multiplies matrices of f32 on a software TPU whose processor has a matrix unit of
// bf16 (AMX). Devices with plugins multiply by their own rules, and so does another processor.
//
//   "float32"   in f32.
//   "bf16_x6"   large products with each number as three of bf16, which hold all of its bits, and
//               six products of those summed in f32: jax's BF16_BF16_F32_X6. Errors are those of
//               f32 or smaller, but what lies below 2^-126 counts as 0, parts too: numbers and
//               products of two below 2^-103 lose bits. A product whose size comes near the largest
//               f32, from 2^127 on, may be infinity. Matrices that hold infinity, NaN or numbers
//               from 2^127 on are multiplied in f32.
//   "auto"      "bf16_x6" in fit, evaluate and predict, but for the products that autodiff adds, as
//               gradients may be as small (those that a loss makes of a gradient itself count as
//               forward); "float32" in generate and in functions.
//
//   model.compile({.optimizer = Adam{}, .matmul_precision = "bf16_x6"});   // gradients too
//
// It is a whole program's: a function that is called in another's trace, or in a model's step, is a
// part of that program and multiplies as it does. What runs op by op (run_eagerly, values read
// outside of functions) multiplies in f32, and so do software TPUs that keep subnormals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "systolic/runtime/split_products.h"

namespace systolic::inline v0 {

class MatmulPrecision {
 public:
  template <size_t n>
  consteval MatmulPrecision(const char (&name)[n])
      : way_(way(std::string_view(name, n - 1))) {}  // NOLINT

  // What is split in a program for which "auto" stands for `by_default`.
  constexpr runtime::SplitProducts split(runtime::SplitProducts by_default) const {
    if (way_ == Way::automatic) return by_default;
    return way_ == Way::bf16_x6 ? runtime::SplitProducts::all : runtime::SplitProducts::none;
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
