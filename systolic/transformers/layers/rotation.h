// Queries and keys turned by their positions (RoPE; transformers/config/rope_parameters.h).
// Internal to transformers.
#pragma once

#include "systolic/trace/tensor.h"
#include "systolic/transformers/config/rope_parameters.h"

namespace systolic::inline v0 {

// For each token: f32 [1 or batch, tokens, 1, half of what is turned of a head].
struct Rotation {
  Tensor cosine, sine;
};

// positions i32 [1 or batch, tokens].
Rotation rotation_of(const Tensor& positions, const RopeFrequencies& frequencies);

// x [batch, tokens, heads, size]: number i of a head and number i + half are one point, which is
// turned; numbers after those stay as they are.
Tensor rotated(const Tensor& x, const Rotation& rotation);

}  // namespace systolic::inline v0
