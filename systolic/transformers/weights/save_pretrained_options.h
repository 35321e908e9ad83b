// How PretrainedModel::save_pretrained writes weights.
#pragma once

#include <cstdint>

#include "systolic/core/dtype.h"
#include "systolic/io/tensors/folder/tensor_folder.h"

namespace systolic::inline v0 {

struct SavePretrainedOptions {
  // The file's type: f32, bf16 or f16, rounded to nearest. Loading converts to f32 again.
  DType dtype = DType::f32;
  uint64_t max_shard_size = io::SaveTensorFolderOptions{}.max_shard_size;  // bytes of a file
};

}  // namespace systolic::inline v0
