// A transformer block as a user writes it, of a layer of his own and those of the library.
#pragma once

#include <cmath>

#include "systolic/systolic.h"

namespace systolic {

// Each position attends to itself and to those before it: [batch, length, width] -> the same.
struct CausalAttention {
  static constexpr const char* kind = "CausalAttention";
  int64_t heads = 1;
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const {
    const int64_t length = x.shape()[1], width = x.shape()[2], each = width / heads;
    const auto projected = [&](const char* weight) {
      return einsum("blw,whd->bhld", x, context.weight(weight, {width, heads, each}));
    };
    const Tensor query = projected("query"), key = projected("key"), value = projected("value");
    const Tensor scores =
        einsum("bhqd,bhkd->bhqk", query, key) / std::sqrt(static_cast<double>(each));
    const Shape square = {length, length};
    const Tensor later = less(iota(square, 0), iota(square, 1));
    const Tensor weights = softmax(where(broadcast_to(later, scores.shape()), -1e9, scores));
    return einsum("bhld,hdw->blw", einsum("bhqk,bhkd->bhqd", weights, value),
                  context.weight("output", {heads, each, width}));
  }
};

// [batch, length] of tokens below `vocabulary` -> [batch, classes].
inline Network transformer_block(int64_t length, int64_t vocabulary, int64_t width,
                                 int64_t classes) {
  const Symbol tokens = input({.shape = {length}, .dtype = DType::i32});
  Symbol x = Embedding{.input_dim = vocabulary, .output_dim = width}(tokens);
  const Layer attention = CausalAttention{.heads = 4};
  const Symbol attended = attention(LayerNormalization{}(x));
  x = x + Dropout{.rate = 0.1}(attended);
  const Symbol inner = Dense{.units = 4 * width, .activation = "gelu"}(LayerNormalization{}(x));
  x = x + Dropout{.rate = 0.1}(Dense{.units = width}(inner));
  const Symbol pooled = GlobalAveragePooling1D{}(LayerNormalization{}(x));
  return Network(tokens, Dense{.units = classes}(pooled));
}

}  // namespace systolic
