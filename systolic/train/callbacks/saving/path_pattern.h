// Paths of files with values of a run in them. Internal to callbacks.
#pragma once

#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/events/logs.h"

namespace systolic::inline v0 {

// "run/{epoch:02d}-{val_loss:.2f}.safetensors": names in braces, each with a format of Python's as
// far as numbers need it, [0][width][.digits][d, e, f or g]; "{{" and "}}" are braces. What is no
// such pattern is an InvalidArgument at `location`.
class PathPattern {
 public:
  PathPattern(const std::string& pattern, SourceLocation location);

  // A name that is not among the values is a NotFound that lists those that are.
  std::string filled(const Logs& values) const;
  // The first name with that prefix; empty without one.
  std::string name_with(std::string_view prefix) const;
  // Whether it has other names than these.
  bool names_besides(const std::vector<std::string>& names) const;

 private:
  struct Field {
    std::string text, name;  // what stands before it; empty: it is the last text
    std::string format;      // for printf, of a double, or with 'd' of a long long
  };
  std::vector<Field> fields_;
  std::string pattern_;
  SourceLocation location_;
};

}  // namespace systolic::inline v0
