// What a file of a model or of weights is, without the model being made.
//
//   ModelFileInfo info = model_file_info("mnist.keras");
//   info.written_by                        // "Keras 3.15.0"
#pragma once

#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {

struct ModelFileInfo {
  std::string form = {};                    // "Keras 3 (.keras)"
  std::string written_by = {};              // "Keras 3.15.0"; empty where the file does not say
  std::string date = {};                    // as the file has it; empty where it does not
  bool has_model = false;                   // load_model reads it
  std::vector<io::TensorInfo> arrays = {};  // of a file of weights alone
};

// .keras, .h5, .weights.h5, .weights.json, .safetensors, .npz and, of a TensorFlow checkpoint,
// .ckpt or .index, by the ending; another is an InvalidArgument.
ModelFileInfo model_file_info(const std::string& path,
                              SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
