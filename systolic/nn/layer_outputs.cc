#include "systolic/nn/layer_outputs.h"

#include <utility>

namespace systolic::inline v0 {
namespace {

thread_local LayerOutputsScope* innermost = nullptr;

}  // namespace

LayerOutputsScope::LayerOutputsScope() : previous_(std::exchange(innermost, this)) {}
LayerOutputsScope::~LayerOutputsScope() { innermost = previous_; }

void note_layer_outputs(const char* layer, const std::vector<Tensor>& outputs) {
  if (innermost == nullptr || *layer == '\0') return;
  for (const Tensor& output : outputs) innermost->outputs_.push_back({layer, output});
}

}  // namespace systolic::inline v0
