// The files of an exported model. Internal to saving.
#pragma once

namespace systolic::inline v0 {
namespace saving {

inline constexpr const char *description_name = "model.json", *program_name = "program.mlir",
                            *weights_name = "weights.safetensors",
                            *export_format = "systolic exported model 1";

}  // namespace saving
}  // namespace systolic::inline v0
