// ResNet (He et al. 2015, arXiv 1512.03385): the fields and defaults of transformers' ResNetConfig.
//
// Input: pixel_values f32 [batch, height, width, channels], as an ImageProcessor makes them
// (transformers/images/image_processor.h), of any height and width. `transformers` has channels
// before height, here and in what comes out. Features: last_hidden_state [batch, height / 32,
// width / 32, hidden_sizes' last] and pooler_output [batch, 1, 1, hidden_sizes' last], its mean.
//
//   auto resnet = ResNetForImageClassification::from_pretrained("resnet-50/");
//
// While training, moving variances are those of the batch, which torch scales by n / (n - 1) of n
// elements. ResNetBackbone has no class here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct ResNetConfig {
  static constexpr const char* model_type = "resnet";
  static constexpr const char* class_prefix = "ResNet";
  static constexpr const char* body_name = "resnet";

  int64_t num_channels = 3;
  int64_t embedding_size = 64;  // channels after the first convolution
  std::vector<int64_t> hidden_sizes = {256, 512, 1024, 2048};  // of each stage
  std::vector<int64_t> depths = {3, 4, 6, 3};                  // layers of each stage
  std::string layer_type = "bottleneck";                       // or "basic"
  std::string hidden_act = "relu";
  bool downsample_in_first_stage = false;
  bool downsample_in_bottleneck = false;  // in its first convolution, not in its second

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
