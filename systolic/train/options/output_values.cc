#include "systolic/train/options/output_values.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

size_t place_of(std::string_view field, const std::string& name,
                const std::vector<std::string>& outputs, SourceLocation location) {
  const auto found = std::find(outputs.begin(), outputs.end(), name);
  if (found != outputs.end()) return static_cast<size_t>(found - outputs.begin());
  raise<InvalidArgument>(
      {.what = str("compile: ", field, " names the output '", name, "'"),
       .wanted = str(outputs.size() == 1 ? "the output of the model: " : "outputs of the model: ",
                     join(outputs)),
       .hint = "an output bears the name of the layer that makes it: Dense{.name = ...}",
       .location = location});
}

}  // namespace

std::vector<size_t> output_places(std::string_view field, const std::vector<std::string>& names,
                                  const std::vector<std::string>& outputs,
                                  SourceLocation location) {
  if (outputs.empty() && !names.empty()) {
    raise<FailedPrecondition>(
        {.what = str("compile: ", field, " by the names of outputs, of a model that is not built"),
         .hint = "put an Input in front; or give it without a name: there is one output",
         .location = location});
  }
  std::vector<size_t> places;
  for (const std::string& name : names) {
    const size_t place = place_of(field, name, outputs, location);
    if (std::find(places.begin(), places.end(), place) != places.end()) {
      raise<InvalidArgument>(
          {.what = str("compile: ", field, " names the output '", name, "' twice"),
           .location = location});
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace systolic::inline v0
