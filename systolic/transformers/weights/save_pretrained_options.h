// How PretrainedModel::save_pretrained writes weights.
#pragma once

#include <cstdint>

#include "systolic/core/dtype.h"
#include "systolic/io/tensors/tensor_folder.h"

namespace systolic::inline v0 {

struct SavePretrainedOptions {
  // Of the file: f32, bf16 or f16, rounded to nearest. Loading it makes f32 of it again.
  DType dtype = DType::f32;
  uint64_t max_shard_size = io::SaveTensorFolderOptions{}.max_shard_size;  // bytes of a file
};

}  // namespace systolic::inline v0
