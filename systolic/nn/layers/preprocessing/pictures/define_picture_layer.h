// Compiles what a layer for pictures needs, in its own .cc file (nn/define_layer.h). Internal to
// nn.
//
//   SYSTOLIC_DEFINE_PICTURE_LAYER(RandomInvert)     // at the end of random_invert.cc
//
// After the name: what else Keras writes and the layer has no field for, {entry, JSON at which it
// says nothing}.
#pragma once

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/mixed_pictures.h"
#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

template <class Spec>
std::optional<int64_t> seed_of(const Spec& spec) {
  if constexpr (requires { spec.seed; }) return spec.seed;
  return {};
}

template <class Spec>
Tensor call_picture_layer(const Spec& spec, const Tensor& pictures, CallContext& context) {
  if constexpr (requires { Spec::channels; }) {
    check_pictures(pictures, Spec::channels);
  } else {
    check_pictures(pictures);
  }
  Tensor x = cast(pictures, DType::f32);
  if constexpr (requires { spec.changed(x); }) {
    x = spec.changed(x);
  } else if (context.training()) {
    PictureDraws draws(x, context, seed_of(spec));
    x = spec.changed(x, draws);
  } else if constexpr (requires { spec.in_evaluation(x); }) {
    x = spec.in_evaluation(x);
  }
  return cast(x, context.compute_dtype());
}

template <class Spec>
std::vector<Tensor> call_mixing_layer(const Spec& spec, const std::vector<Tensor>& xs,
                                      CallContext& context) {
  check_mixed(xs);
  std::vector<Tensor> result = xs;
  result[0] = cast(xs[0], DType::f32);
  if (context.training()) {
    PictureDraws draws(xs[0], context, spec.seed);
    result = spec.changed(result, draws);
  }
  result[0] = cast(result[0], context.compute_dtype());
  return result;
}

#define SYSTOLIC_DEFINE_PICTURE_LAYER(Spec, ...)                          \
  Tensor Spec::call(const Tensor& pictures, CallContext& context) const { \
    return call_picture_layer(*this, pictures, context);                  \
  }                                                                       \
  SYSTOLIC_DEFINE_KERAS_FORM(Spec, __VA_ARGS__)

#define SYSTOLIC_DEFINE_MIXING_LAYER(Spec)                                                    \
  std::vector<Tensor> Spec::call(const std::vector<Tensor>& xs, CallContext& context) const { \
    return call_mixing_layer(*this, xs, context);                                             \
  }                                                                                           \
  SYSTOLIC_DEFINE_KERAS_FORM(Spec)

#define SYSTOLIC_DEFINE_KERAS_FORM(Spec, ...)                                             \
  KerasForm Spec::keras_form() {                                                          \
    return {.silent = {{"data_format", "\"channels_last\""} __VA_OPT__(, ) __VA_ARGS__}}; \
  }                                                                                       \
  SYSTOLIC_DEFINE_LAYER(Spec)

}  // namespace systolic::inline v0
