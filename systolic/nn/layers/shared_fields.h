// What the structs of several layers share: lists of fields, and the call operators. Lists and a
// macro: a base class for the fields, or for the operators, would take the designated initializers
// from them, or make g++ warn of the base at every use. Internal to nn.
#pragma once

#include <utility>

#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

// `Dense{.units = 3}(x)` on a temporary is a layer that is called once; one that has a name would
// be another layer at each call, and so does not compile: write Layer l = Dense{...}; l(x).
#define SYSTOLIC_LAYER_CALLS                                             \
  template <class... Inputs>                                             \
  auto operator()(Inputs&&... inputs)&& {                                \
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...); \
  }                                                                      \
  template <class... Inputs>                                             \
  void operator()(Inputs&&...) const& = delete;

// The same for a layer of several inputs, which stand in braces: Add{}({x, y}).
#define SYSTOLIC_MERGING_LAYER_CALLS                                                             \
  Symbol operator()(const std::vector<Symbol>& xs)&& { return call_once(std::move(*this), xs); } \
  Tensor operator()(const std::vector<Tensor>& xs, CallContext& context)&& {                     \
    return call_once(std::move(*this), xs, context);                                             \
  }

// The fields that every layer has, dtype and name, which stand last in its fields().
template <class Spec>
constexpr auto common_fields() {
  return std::tuple(field("dtype", &Spec::dtype), field("name", &Spec::name));
}

// The last fields of layers whose output is activation(... + bias).
template <class Spec>
constexpr auto bias_fields() {
  return std::tuple(field("bias_regularizer", &Spec::bias_regularizer),
                    field("activity_regularizer", &Spec::activity_regularizer),
                    field("bias_constraint", &Spec::bias_constraint));
}

}  // namespace systolic::inline v0
