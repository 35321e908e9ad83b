// The files of an exported model. Internal to saving.
#pragma once

namespace systolic::inline v0 {
namespace saving {

inline constexpr const char *exported_description = "model.json",
                            *exported_program = "program.mlir",
                            *exported_portable_program = "program.mlirbc",
                            *exported_weights = "weights.safetensors",
                            *export_format = "systolic exported model 1";

}  // namespace saving
}  // namespace systolic::inline v0
