// The first entry of a Sequential: shape and type of one example.
//
//   Sequential({Input{.shape = {28, 28, 1}}, ...})     // batches [batch, 28, 28, 1], f32
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Input {
  static constexpr const char* kind = "InputLayer";
  static constexpr LayerTraits traits = {};
  Required<Shape> shape;                   // without the batch axis; -1 for unknown sizes
  DType dtype = DType::f32;                // what is given is cast to it
  std::optional<int64_t> batch_size = {};  // unknown by default
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class Self = Input>
  static constexpr auto fields() {
    return std::tuple(field("shape", &Self::shape), field("dtype", &Self::dtype),
                      field("batch_size", &Self::batch_size), field("name", &Self::name));
  }
};

extern template Layer::Layer(Input);

}  // namespace systolic::inline v0
