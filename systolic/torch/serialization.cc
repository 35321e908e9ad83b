#include "systolic/torch/serialization.h"

#include "systolic/io/tensors/torch/torch_file.h"
#include "systolic/io/tensors/torch/torch_file_write.h"

namespace systolic::inline v0 {
namespace torch {

void save(const StateDict& state, const std::string& path, At at) {
  io::write_torch_file(path, state.entries(), at);
}

StateDict load(const std::string& path, At at) {
  const auto file = io::open_torch_file(path, at);
  std::vector<StateDict::Entry> entries;
  for (size_t i = 0; i < file->tensors().size(); ++i)
    entries.emplace_back(file->tensors()[i].name, file->read(i, at));
  return entries;
}

}  // namespace torch
}  // namespace systolic::inline v0
