// Longformer's attention (Beltagy et al. 2020, arXiv 2004.05150, section 3): a token sees those
// that are near, and some, the global ones, see all and are seen by all. Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/nn/call_context.h"

namespace systolic::inline v0 {

// Over all heads, [batch, tokens, width] each.
struct AttendedVectors {
  Tensor query, key, value;
};

struct WindowedAttention {
  int64_t heads = 0;
  int64_t reach = 0;   // tokens that a token sees to each side
  double dropout = 0;  // of probabilities
};

// [batch, tokens, width]. `near` is of what is seen near and of global tokens by others, `far` of
// what global tokens see. shown pred [batch, 1, 1, tokens]: what is no padding, which gets 0;
// global pred [batch, tokens]. Scores of all pairs are computed, as where attention is full.
Tensor windowed_attention(const AttendedVectors& near, const AttendedVectors& far,
                          const Tensor& shown, const Tensor& global,
                          const WindowedAttention& options, CallContext& context);

}  // namespace systolic::inline v0
