#include "systolic/nn/config/choice.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

int parse_choice(std::string_view subject, std::string_view name,
                 const std::vector<std::string>& names, SourceLocation location) {
  const int position = position_in(names, name);
  if (position >= 0) return position;
  const std::vector<std::string> closest = closest_names(name, names);
  raise<InvalidArgument>(
      {.what = str(subject, " '", name, "' is not known"),
       .wanted = str("one of: ", join(names, " ")),
       .hint = closest.empty() ? std::string() : str("did you mean '", closest.front(), "'"),
       .location = location});
}

}  // namespace systolic::inline v0
