#include "systolic/trace/compile_cache.h"

#include "systolic/ir/structure_key.h"

namespace systolic::inline v0 {

CompileCache& CompileCache::of_process() {
  static CompileCache cache;
  return cache;
}

runtime::ExecutablePtr CompileCache::get(const runtime::ClientPtr& client,
                                         const ir::Module& module) {
  const std::string key = ir::structure_key(module);
  std::lock_guard lock(mutex_);
  if (client_.lock() != client || programs_.size() >= most_programs) {
    programs_.clear();
    client_ = client;
  }
  runtime::ExecutablePtr& program = programs_[key];
  if (!program) {
    program = client->compile(module, {.name = module.name});
    ++compilations_;
  }
  return program;
}

int64_t CompileCache::compilations() const {
  std::lock_guard lock(mutex_);
  return compilations_;
}

}  // namespace systolic::inline v0
