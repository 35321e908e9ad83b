// A network's inputs out of values that have their names. Internal to nn and what stands on it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {

// Whether a name that no input has is an error, or left out: a batch has labels, too.
enum class OtherNames { refused, left_out };

// The values in the inputs' order. In the place of one that is missing, but not of the first,
// stands make_default(port, first value) where it has a default value; others are an
// InvalidArgument that lists the inputs. `called` says what is: "model 'bert'".
template <class Value, class MakeDefault>
std::vector<Value> inputs_by_name(const std::vector<NetworkPort>& ports,
                                  const std::vector<std::pair<std::string, Value>>& named,
                                  OtherNames others, std::string_view called,
                                  const MakeDefault& make_default, SourceLocation location) {
  std::vector<Value> inputs;
  std::vector<std::string> names, given;
  for (const NetworkPort& port : ports) names.push_back(port.name);
  for (const auto& one : named) given.push_back(one.first);
  size_t used = 0;
  for (const NetworkPort& port : ports) {
    const auto found = std::find(given.begin(), given.end(), port.name);
    if (found != given.end()) {
      inputs.push_back(named[static_cast<size_t>(found - given.begin())].second);
      ++used;
    } else if (port.rules.default_value && !inputs.empty()) {
      inputs.push_back(make_default(port, inputs.front()));
    } else {
      break;
    }
  }
  const bool all_used = others == OtherNames::left_out || used == named.size();
  if (inputs.size() == ports.size() && all_used) return inputs;
  raise<InvalidArgument>({.what = str(called, " called on the inputs ", join(given)),
                          .wanted = names.size() == 1 ? str("'", names.front(), "'")
                                                      : str("some of ", join(names),
                                                            ": the first, and each that has "
                                                            "no default value"),
                          .location = location});
}

}  // namespace systolic::inline v0
