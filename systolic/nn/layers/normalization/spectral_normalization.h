// A layer whose kernel is divided by its largest singular value
// (keras.layers.SpectralNormalization; Miyato et al. 2018), so that the layer does not stretch its
// input: for the critic of a GAN.
//
//   SpectralNormalization{.layer = Conv2D{.filters = 8, .kernel_size = 3}}
//   as the layer inside
//
// The kernel (or `embeddings`), as a matrix of as many columns as it has channels out, is divided
// anew in each call that trains; other calls take it as it is. power_iterations steps of the power
// method follow vector_u, [1, channels], a weight that does not train. A layer without such a
// weight and power_iterations below 1 are an InvalidArgument.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/inner_layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct SpectralNormalization {
  static constexpr const char* kind = "SpectralNormalization";
  Required<InnerLayer> layer;
  int64_t power_iterations = 1;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_LAYER_CALLS

  template <class Self = SpectralNormalization>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("layer", &Self::layer),
                                     field("power_iterations", &Self::power_iterations)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(SpectralNormalization);

}  // namespace systolic::inline v0
