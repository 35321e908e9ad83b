#include "systolic/distribute/per_replica.h"

#include <ostream>

#include "systolic/base/text.h"
#include "systolic/trace/tensor_state.h"

namespace systolic::inline v0 {

std::vector<Tensor> PerReplica::values() const {
  const runtime::BufferPtr buffer = buffer_of(tensor_);
  std::vector<Tensor> values;
  for (int core : topology_.addressable_cores()) values.emplace_back(buffer->core_literal(core));
  return values;
}

std::string to_string(const PerReplica& value) {
  if (value.replicas() == 1) return to_string(value.tensor());
  std::string text = "PerReplica:{\n";
  const std::vector<Tensor> values = value.values();
  for (size_t core = 0; core < values.size(); ++core) {
    text += str("  ", core, ": ", to_string(values[core]), core + 1 < values.size() ? ",\n" : "\n");
  }
  return text + "}";
}

std::ostream& operator<<(std::ostream& out, const PerReplica& value) {
  return out << to_string(value);
}

}  // namespace systolic::inline v0
