// How files and pages call the kinds of works.
#pragma once

#include <string_view>

#include "systolic/base/spans/spans.h"

namespace systolic::inline v0 {
namespace monitor {

// "op"; a member of several ops that run as one is an op, too.
inline std::string_view work_kind_name(spans::WorkKind kind) {
  switch (kind) {
    case spans::WorkKind::step:
      return "step";
    case spans::WorkKind::program:
      return "program";
    case spans::WorkKind::op:
      return "op";
    case spans::WorkKind::member:
      return "op";
    case spans::WorkKind::wait:
      return "wait";
    case spans::WorkKind::input:
      return "input";
    case spans::WorkKind::host:
      break;
  }
  return "host";
}

}  // namespace monitor
}  // namespace systolic::inline v0
