#include "examples/vit/small_vit.h"

#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/images/image_processor.h"

namespace examples {

using namespace systolic;

void make_small_vit(const std::string& folder) {
  const PretrainedModel vit = ViTModel::from_config({.hidden_size = 64,
                                                     .num_hidden_layers = 4,
                                                     .num_attention_heads = 4,
                                                     .intermediate_size = 128,
                                                     .image_size = 48,
                                                     .patch_size = 8},
                                                    {.add_pooling_layer = false});
  vit.save_pretrained(folder);
  const ImageProcessor processor{.size = {.height = 48, .width = 48}};
  processor.save_pretrained(folder);
}

}  // namespace examples
