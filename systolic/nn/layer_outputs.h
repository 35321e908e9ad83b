// What the layers of a model give while it is traced, in the order in which they end. Internal.
//
//   LayerOutputsScope watched;
//   network.outputs(inputs);
//   watched.outputs()               // {"conv2d", Tensor}, {"dense", Tensor}, ...
#pragma once

#include <string>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct LayerOutput {
  std::string layer;  // its path
  Tensor value;
};

// Collects on this thread while it lives; the innermost one does.
class LayerOutputsScope {
 public:
  LayerOutputsScope();
  ~LayerOutputsScope();
  LayerOutputsScope(const LayerOutputsScope&) = delete;
  LayerOutputsScope& operator=(const LayerOutputsScope&) = delete;
  const std::vector<LayerOutput>& outputs() const { return outputs_; }

 private:
  friend void note_layer_outputs(const char* layer, const std::vector<Tensor>& outputs);
  std::vector<LayerOutput> outputs_;
  LayerOutputsScope* previous_;
};

// Called where a layer has been called.
void note_layer_outputs(const char* layer, const std::vector<Tensor>& outputs);

}  // namespace systolic::inline v0
