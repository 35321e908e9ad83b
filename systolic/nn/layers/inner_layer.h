// A layer as a field of another (keras.layers.Wrapper): any layer's struct, or a Layer.
#pragma once

#include <optional>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// Empty until it is assigned.
class InnerLayer {
 public:
  InnerLayer() = default;
  InnerLayer(Layer layer) : layer_(std::move(layer)) {}  // NOLINT
  template <LayerSpec Spec>
  InnerLayer(Spec spec) : layer_(Layer(std::move(spec))) {}  // NOLINT

  const Layer& layer() const { return *layer_; }
  friend bool operator==(const InnerLayer& a, const InnerLayer& b) { return a.layer_ == b.layer_; }

 private:
  std::optional<Layer> layer_;
};

inline Config to_config(const InnerLayer& inner) { return inner.layer().get_config(); }
inline void from_config(const Config& config, InnerLayer& inner) {
  inner = layer_from_config(config);
}

}  // namespace systolic::inline v0
