// Compiled programs by structure: the same ops a second time are not compiled again.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {

class CompileCache {
 public:
  static CompileCache& of_process();

  // The executable of `module` on `client`, compiled at the first request. Thread-safe.
  runtime::ExecutablePtr get(const runtime::ClientPtr& client, const ir::Module& module);
  int64_t compilations() const;

 private:
  // A cache beyond this many programs starts anew: a program that never repeats must not fill the
  // memory.
  static constexpr size_t most_programs = 1024;

  mutable std::mutex mutex_;
  std::weak_ptr<runtime::Client> client_;
  std::unordered_map<std::string, runtime::ExecutablePtr> programs_;
  int64_t compilations_ = 0;
};

}  // namespace systolic::inline v0
