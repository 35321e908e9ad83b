// Arrays of the ordinals that wait on the host for a step. Equal ones share memory: all ordinals
// make the zeros that an optimizer begins with, and one copy of them is enough. Internal.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "systolic/torch_xla/ordinals/ordinal_buffer.h"

namespace systolic::inline v0 {
namespace torch_xla {

class HostArrays {
 public:
  // `array` as one of this ordinal. Thread-safe; not while a step takes arrays from the host.
  std::shared_ptr<OrdinalBuffer> add(int ordinal, Literal array);

 private:
  std::mutex mutex_;  // of the one below
  std::map<std::string, std::vector<std::weak_ptr<OrdinalBuffer>>> by_type_;
};

}  // namespace torch_xla
}  // namespace systolic::inline v0
