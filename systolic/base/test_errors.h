// For tests: what a piece of code throws, as text.
#pragma once

#include <string>

#include "systolic/base/error.h"

namespace systolic {

// The message of the Kind that `body` throws; any other exception goes on.
//
//   EXPECT_EQ(message_of<InvalidArgument>([] { parse("x"); }), "...");
template <class Kind = Error, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Kind& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace systolic
