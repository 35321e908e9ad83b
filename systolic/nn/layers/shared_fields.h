// Field lists that several layers share. Only the lists: a base class for the fields, or for the
// call operators, would take the designated initializers from them, or make g++ warn of the base at
// every use. Internal to nn.
#pragma once

#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

template <class Spec>
constexpr auto common_fields() {
  return std::tuple(field("dtype", &Spec::dtype), field("name", &Spec::name));
}

template <class Spec>
constexpr auto pooling_fields() {
  return std::tuple_cat(
      std::tuple(field("pool_size", &Spec::pool_size), field("strides", &Spec::strides),
                 field("padding", &Spec::padding)),
      common_fields<Spec>());
}

template <class Spec>
constexpr auto global_pooling_fields() {
  return std::tuple_cat(std::tuple(field("keepdims", &Spec::keepdims)), common_fields<Spec>());
}

template <class Spec>
constexpr auto convolution_fields() {
  return std::tuple_cat(
      std::tuple(field("filters", &Spec::filters), field("kernel_size", &Spec::kernel_size),
                 field("strides", &Spec::strides), field("padding", &Spec::padding),
                 field("dilation_rate", &Spec::dilation_rate), field("groups", &Spec::groups),
                 field("activation", &Spec::activation), field("use_bias", &Spec::use_bias),
                 field("kernel_initializer", &Spec::kernel_initializer),
                 field("bias_initializer", &Spec::bias_initializer),
                 field("kernel_regularizer", &Spec::kernel_regularizer),
                 field("bias_regularizer", &Spec::bias_regularizer)),
      common_fields<Spec>());
}

}  // namespace systolic::inline v0
