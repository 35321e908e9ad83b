#include "systolic/io/files/file.h"
#include "systolic/transformers/test_golden.h"
#include "tests/source_path.h"

namespace systolic {

std::string golden_folder(const std::string& model_type) {
  return test::source_path("systolic/transformers/golden/" + model_type);
}

Example write_untied_model(const std::string& model_type, const std::string& folder) {
  const std::string golden = golden_folder(model_type);
  Example tensors = io::read_safetensors(golden + "/model.safetensors").tensors;
  Example untied = io::read_safetensors(golden + "/untied.safetensors").tensors;
  for (const auto& [name, value] : untied) {
    if (name != "logits" && name != "loss") tensors.set(name, value);
  }
  io::write_safetensors(folder + "/model.safetensors", tensors);
  io::write_file(folder + "/config.json", io::read_file(golden + "/config.json"));
  return untied;
}

}  // namespace systolic
