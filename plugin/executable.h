// The two views of a compiled program that callers have.
#pragma once

#include <atomic>

#include "plugin/compiled.h"
#include "plugin/exchange.h"

namespace systolic::inline v0 {
namespace plugin {

struct Executable {
  CompiledPtr compiled;
};

struct LoadedExecutable {
  LoadedExecutable(Client& of, CompiledPtr program);

  Client* const client;
  const CompiledPtr compiled;
  std::vector<abi::Device*> devices;  // of this process
  const Span span;
  // Where devices that are run one by one meet.
  const std::shared_ptr<Meeting> meeting;
  std::atomic<bool> deleted = false;
};

}  // namespace plugin
}  // namespace systolic::inline v0
