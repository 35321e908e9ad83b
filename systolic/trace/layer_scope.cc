#include "systolic/trace/layer_scope.h"

#include <cstdlib>
#include <utility>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace {

thread_local const char* current_path = "";
thread_local SourceLocation current_location;

std::string path_below(const char* outer, std::string_view name) {
  return *outer == '\0' ? std::string(name) : str(outer, "/", name);
}

SourceLocation line_of_ops(SourceLocation location) {
  return {location.file, std::abs(location.line)};
}

}  // namespace

LayerScope::LayerScope(std::string_view name, std::string_view kind, SourceLocation location)
    : previous_(std::exchange(current_path, ir::intern(path_below(current_path, name)))),
      previous_location_(std::exchange(current_location, line_of_ops(location))),
      error_text_(kind.empty() ? std::string() : str(kind, " '", current_path, "'")),
      error_scope_(error_text_, location) {}

LayerScope::~LayerScope() {
  current_path = previous_;
  current_location = previous_location_;
}

const char* LayerScope::path() { return current_path; }
SourceLocation LayerScope::location() { return current_location; }

}  // namespace systolic::inline v0
