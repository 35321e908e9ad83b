// What architectures of pictures share: their input, the checks of their stages. Internal to
// transformers.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/nn/symbol.h"
#include "systolic/transformers/config/config_fields.h"

namespace systolic::inline v0 {

// pixel_values f32 [batch, height, width, channels], of that size and of any.
InputOptions pictures_of_size(Size2 size, int64_t channels);
InputOptions pictures_of_any_size(int64_t channels);

// The field hidden_sizes has as many numbers as depths, which together are no more than
// limits::layers.
void check_stages(ConfigFields& fields, const std::vector<int64_t>& depths,
                  const std::vector<int64_t>& hidden_sizes);
// A patch fits into a picture.
void check_patches(ConfigFields& fields, Size2 patch_size, Size2 image_size);

}  // namespace systolic::inline v0
