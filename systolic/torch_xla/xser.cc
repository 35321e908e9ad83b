#include "systolic/torch_xla/xser.h"

#include "systolic/io/tensors/torch/torch_references.h"

namespace systolic::inline v0 {
namespace xser {

void save(const torch::StateDict& state, const std::string& path, xm::SaveOptions options, At at) {
  if (!options.master_only || xm::is_master_ordinal())
    io::write_torch_references(path, state.entries(), at);
  xm::rendezvous("xser.save", "", at);
}

torch::StateDict load(const std::string& path, At at) {
  return io::read_torch_references(path, at);
}

}  // namespace xser
}  // namespace systolic::inline v0
