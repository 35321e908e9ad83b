// A small vision transformer of random weights: what the example trains where there is no
// pretrained model.
#pragma once

#include <string>

namespace examples {

// Makes `folder` with config.json, model.safetensors and preprocessor_config.json, for pictures of
// 48 × 48 pixels.
void make_small_vit(const std::string& folder);

}  // namespace examples
