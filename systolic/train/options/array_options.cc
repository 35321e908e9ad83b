#include "systolic/train/options/array_options.h"

#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void raise_arrays_only(std::string_view what, std::string_view field, std::string hint,
                       SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str(what, " was given a Dataset and ", field, ", which goes with arrays"),
       .hint = std::move(hint),
       .location = location});
}

}  // namespace systolic::inline v0
