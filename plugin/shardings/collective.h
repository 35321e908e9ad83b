// One exchange between the cores of a program, as HLO writes it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace plugin {

struct Collective {
  enum class Kind {
    all_gather,          // the parts of an axis, together on each core of a group
    all_reduce,          // what the cores of a group hold, added up or otherwise reduced
    all_to_all,          // parts of one axis for parts of another
    collective_permute,  // the rows at the borders of parts
    reduce_scatter,      // of the reduced array each core of a group keeps its part
    collective_broadcast
  };
  Kind kind = Kind::all_reduce;
  stablehlo::ElementType element = stablehlo::ElementType::f32;
  std::vector<int64_t> before, after;  // sizes of what a core gives and gets
  int64_t axis = 0;                    // that is gathered, exchanged or scattered
  std::vector<std::vector<int64_t>> groups;
  // How many exchanges, one after the other, come before it: those of one number wait for none of
  // each other.
  int level = 0;
};

std::string_view name_of(Collective::Kind kind);

}  // namespace plugin
}  // namespace systolic::inline v0
