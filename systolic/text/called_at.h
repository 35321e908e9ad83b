// The caller's line for errors that are raised deep inside, or on a thread of the pool. Internal to
// text.
#pragma once

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {

// body(); its errors name `location` where they name no line.
template <class Body>
auto called_at(SourceLocation location, Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    error.rethrow_within("", location);
  }
}

}  // namespace text
}  // namespace systolic::inline v0
