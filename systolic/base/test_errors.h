// For tests: what a piece of code throws, as text, and what a text holds.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/error.h"

namespace systolic {

// The message of the Kind that `body` throws, or "no error"; any other exception goes on.
//
//   EXPECT_EQ(message_of<InvalidArgument>([] { parse("x"); }), "...");
template <class Kind = Error, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Kind& error) {
    return error.what();
  }
  return "no error";
}

// The same with the kind of the error in front: "DataLoss: ...".
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.kind() + ": " + error.what();
  }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part) EXPECT_PRED2(::systolic::contains, text, part)

// The text holds every part.
inline void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_TRUE(contains(text, part)) << part << " in:\n" << text;
  }
}

}  // namespace systolic
