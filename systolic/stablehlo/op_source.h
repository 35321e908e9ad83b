// Where in the user's own program an op came from, as the front end recorded it: JAX writes the
// line of the Python file.
#pragma once

#include <string>
#include <string_view>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

struct OpSource {
  std::string file;
  int line = 0, column = 0;
  bool known() const { return line > 0; }
};

// loc("train.py":12:3) -> train.py, 12, 3. Unknown for any other form: names, loc(unknown), #loc1.
OpSource source_of(std::string_view location);

// The source of the op, or the function, that starts at the byte.
OpSource source_at(const Program& program, size_t offset);

}  // namespace stablehlo
}  // namespace systolic::inline v0
