#include "systolic/trace/device/compile_cache.h"

#include <utility>

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/ir/structure_key.h"

namespace systolic::inline v0 {

CompileCache& CompileCache::of_process() {
  static CompileCache cache;
  return cache;
}

std::shared_ptr<CompileCache::Entry> CompileCache::entry_of(const runtime::ClientPtr& client,
                                                            std::string key) {
  const std::lock_guard lock(mutex_);
  if (client_.lock() != client || programs_.size() >= most_programs) {
    programs_.clear();
    client_ = client;
  }
  std::shared_ptr<Entry>& entry = programs_[std::move(key)];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

runtime::ExecutablePtr CompileCache::get(const runtime::ClientPtr& client, const ir::Module& module,
                                         const std::string& labels,
                                         runtime::CompileOptions options) {
  const std::string ways = str("/split ", static_cast<int>(options.split_products));
  const auto entry = entry_of(client, ir::structure_key(module) + labels + ways);
  std::unique_lock lock(entry->mutex);
  if (entry->executable) return entry->executable;
  options.name = module.name;
  const runtime::ExecutablePtr executable = client->compile(module, options);
  entry->executable = executable;
  ++compilations_;
  lock.unlock();
  publish(events::Compilation{.program = module.name, .milliseconds = executable->compile_ms()});
  return executable;
}

}  // namespace systolic::inline v0
