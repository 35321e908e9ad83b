// Compiled programs by structure: the same ops are not compiled a second time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {

class CompileCache {
 public:
  static CompileCache& of_process();

  // The executable of `module` on `client`, compiled at the first request. Thread-safe. Programs of
  // the same ops share one executable, and the name, lines and layers in its errors; programs with
  // different `labels` (ir::label_key), or with options that differ in more than the name, do not.
  runtime::ExecutablePtr get(const runtime::ClientPtr& client, const ir::Module& module,
                             const std::string& labels = {}, runtime::CompileOptions options = {});
  int64_t compilations() const { return compilations_; }

 private:
  // A cache of more programs than this is emptied: a program that never repeats must not fill the
  // memory.
  static constexpr size_t most_programs = 1024;

  // The mutex lets threads that want the same program wait for one compilation, and blocks no
  // others.
  struct Entry {
    std::mutex mutex;
    runtime::ExecutablePtr executable;
  };

  std::shared_ptr<Entry> entry_of(const runtime::ClientPtr& client, std::string key);

  std::mutex mutex_;  // of the two below
  std::weak_ptr<runtime::Client> client_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> programs_;
  std::atomic<int64_t> compilations_{0};
};

}  // namespace systolic::inline v0
