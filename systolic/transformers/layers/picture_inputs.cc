#include "systolic/transformers/layers/picture_inputs.h"

#include "systolic/base/text.h"
#include "systolic/transformers/config/limits.h"

namespace systolic::inline v0 {

InputOptions pictures_of_size(Size2 size, int64_t channels) {
  return {.shape = Shape{size.height, size.width, channels},
          .name = "pixel_values",
          .normalized_by = "AutoImageProcessor::from_pretrained(folder)"};
}

InputOptions pictures_of_any_size(int64_t channels) { return pictures_of_size(-1, channels); }

void check_stages(ConfigFields& fields, const std::vector<int64_t>& depths,
                  const std::vector<int64_t>& hidden_sizes) {
  if (!fields.reads()) return;
  if (hidden_sizes.size() != depths.size())
    fields.fail("hidden_sizes", str(hidden_sizes.size(), " numbers"),
                str(depths.size(), ", as many as depths"));
  int64_t layers = 0;
  for (const int64_t depth : depths) layers += depth;
  if (layers > limits::layers)
    fields.fail("depths", str(layers, " layers"), str("at most ", limits::layers));
}

void check_patches(ConfigFields& fields, Size2 patch_size, Size2 image_size) {
  if (patch_size.height <= image_size.height && patch_size.width <= image_size.width) return;
  fields.fail("patch_size", to_string(patch_size),
              str("at most image_size, ", to_string(image_size)));
}

}  // namespace systolic::inline v0
