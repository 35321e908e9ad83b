#include "systolic/trace/layer_scope.h"

#include <utility>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace {

thread_local const char* current_path = "";

std::string path_below(const char* outer, std::string_view name) {
  return *outer == '\0' ? std::string(name) : str(outer, "/", name);
}

}  // namespace

LayerScope::LayerScope(std::string_view name, std::string_view kind)
    : previous_(std::exchange(current_path, ir::intern(path_below(current_path, name)))),
      error_text_(kind.empty() ? std::string() : str(kind, " '", current_path, "'")),
      error_scope_(error_text_) {}

LayerScope::~LayerScope() { current_path = previous_; }

const char* LayerScope::path() { return current_path; }

}  // namespace systolic::inline v0
