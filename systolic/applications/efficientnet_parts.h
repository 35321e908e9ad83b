// What EfficientNet and EfficientNetV2 have in common. Internal to applications.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/applications/architecture.h"

namespace systolic::inline v0 {
namespace applications {

// "block2a_": block 1 of stage 2, where `repeat` counts from 0.
std::string block_name(int stage, int64_t repeat);

// How kernels of convolutions are drawn.
Initializer efficientnet_kernel();

// A convolution of size 1 without a bias.
Symbol efficientnet_pointwise(const Symbol& x, int64_t filters, const std::string& name);

struct NormOptions {
  std::string name;  // in front of "bn" and "activation"
  double momentum = 0.99;
};
// BatchNormalization, then swish.
Symbol norm_swish(const Symbol& x, const NormOptions& options);

// Scales each channel by a number between 0 and 1 that two convolutions make from the channels'
// means; the first has `in` times `share` filters.
Symbol squeezed_and_excited(const Symbol& x, int64_t in, double share, const std::string& name);

// x + input, where training drops all of x for a share of the examples.
Symbol residual_of(Symbol x, const Symbol& input, double drop_rate, const std::string& name);

// The names at the end, and how the classifier is drawn.
Top efficientnet_top(double dropout);

}  // namespace applications
}  // namespace systolic::inline v0
