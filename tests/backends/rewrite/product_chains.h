// Parts of chains of products, and small integers for them, whose sums and products f32 holds
// exactly in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/module.h"
#include "tests/backends/compare.h"

namespace systolic {

inline Literal integers(const ir::Type& type, uint32_t seed) {
  Literal drawn = random_literal(DType::i32, type.shape, seed, {-2, 3});
  Literal literal(type.dtype, type.shape);
  visit_dtype(type.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_constructible_v<T, float>) {
      auto* data = reinterpret_cast<T*>(literal.mutable_raw());
      for (int64_t i = 0; i < literal.size(); ++i) {
        data[i] = T(static_cast<float>(drawn.number_at(i)));
      }
    }
  });
  return literal;
}

inline std::vector<Literal> integer_arguments(const ir::Module& module) {
  std::vector<Literal> arguments;
  for (ir::ValueId argument : module.main().body.arguments) {
    arguments.push_back(
        integers(module.main().type(argument), static_cast<uint32_t>(arguments.size() + 1)));
  }
  return arguments;
}

inline ir::Value argument(ir::Builder& b, const Shape& shape, DType dtype = DType::f32) {
  return b.argument({dtype, shape});
}

// Columns of the last axis's features.
inline ir::Value dense(ir::Value x, ir::Value kernel) {
  return ir::dot_general(x, kernel, {{}, {}, {x.rank() - 1}, {0}});
}
inline ir::Value biased(ir::Value x) {
  const ir::Value bias = argument(x.builder(), {x.shape()[-1]});
  return x + ir::broadcast_in_dim(bias, x.shape(), {x.rank() - 1});
}

inline const ir::DotAttributes with_keys{{0, 2}, {0, 2}, {3}, {3}},
    with_values{{0, 1}, {0, 2}, {3}, {1}};

}  // namespace systolic
