// Names the part of the model that is being traced, for errors, dumps and profiles: ops made inside
// carry the path.
//
//   LayerScope scope("conv2d_1", "Conv2D");
//   // ops: "mnist/conv2d_1"; errors: "Conv2D 'mnist/conv2d_1': ..."
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

class LayerScope {
 public:
  // `kind` comes before the path in errors; empty: the path only names ops, and errors stay as they
  // are.
  // With a `location`, ops and errors inside carry it instead of their own lines: for layers of
  // this library, whose user wrote that line. If its line is below 0, -41 for 41, ops carry it, and
  // errors carry the line of the code that catches them: for models, whose callers are at fault.
  explicit LayerScope(std::string_view name, std::string_view kind = {},
                      SourceLocation location = {});
  ~LayerScope();
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;
  // "mnist/conv2d_1" of the calling thread, interned; "" outside.
  static const char* path();
  // The location of the innermost scope; unknown for most.
  static SourceLocation location();

 private:
  const char* previous_;
  SourceLocation previous_location_;
  std::string error_text_;
  ErrorScope error_scope_;
};

}  // namespace systolic::inline v0
