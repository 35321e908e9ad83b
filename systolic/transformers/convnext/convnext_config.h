// ConvNeXt (Liu et al. 2022, arXiv 2201.03545): the fields and defaults of transformers'
// ConvNextConfig.
//
// Input: pixel_values f32 [batch, height, width, channels], as an ImageProcessor makes them
// (transformers/images/image_processor.h), of any height and width that hold a patch.
// `transformers` has channels before height, here and in what comes out. Features:
// last_hidden_state [batch, height / 32, width / 32, hidden_sizes' last] and pooler_output [batch,
// hidden_sizes' last], its normalized mean.
//
//   auto convnext = ConvNextForImageClassification::from_pretrained("convnext-tiny-224/");
//
// ConvNextBackbone has no class here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct ConvNextConfig {
  static constexpr const char* model_type = "convnext";
  static constexpr const char* class_prefix = "ConvNext";
  static constexpr const char* body_name = "convnext";

  int64_t num_channels = 3;
  Size2 patch_size = 4;
  int64_t num_stages = 4;
  std::vector<int64_t> hidden_sizes = {96, 192, 384, 768};  // of each stage
  std::vector<int64_t> depths = {3, 3, 9, 3};               // layers of each stage
  std::string hidden_act = "gelu";
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;         // of the last one; the others have 1e-6
  double layer_scale_init_value = 1e-6;  // 0: layers do not scale what they add
  double drop_path_rate = 0;
  Size2 image_size = 224;  // not used

  static std::vector<Task> tasks();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
