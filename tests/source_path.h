// Where tests find the files they read: golden values, programs, corpora.
#pragma once

#include <string>
#include <string_view>

namespace systolic::test {

// The path of a file of the source tree; `relative` is below its root. In one file of its own, so
// that no test is compiled anew for being in another folder.
//   std::ifstream file(test::source_path("tests/golden/data/adam.json"));
std::string source_path(std::string_view relative);

}  // namespace systolic::test
