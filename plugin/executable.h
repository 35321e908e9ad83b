// The two views that callers have of a compiled program.
#pragma once

#include <atomic>

#include "plugin/compiled.h"

namespace systolic::inline v0 {
namespace plugin {

struct Executable {
  CompiledPtr compiled;
};

struct LoadedExecutable {
  LoadedExecutable(Client& of, CompiledPtr program);

  Client* const client;
  const CompiledPtr compiled;
  std::vector<abi::Device*> devices;
  // Of devices that are run one by one.
  const std::shared_ptr<Meeting> meeting;
  std::atomic<bool> deleted = false;
};

}  // namespace plugin
}  // namespace systolic::inline v0
