// What is written in a box. Internal to plotting.
#pragma once

#include <string>
#include <vector>

#include "systolic/plotting/model_diagram.h"
#include "systolic/plotting/plot_model.h"

namespace systolic::inline v0 {
namespace plotting {

struct BoxLine {
  std::string label, value;  // "Output shape", "(None, 10)"
  std::string color = "";    // of the ground, where the line has one of its own
};
struct BoxText {
  std::string name;  // empty where it is not shown
  std::string kind;
  std::vector<BoxLine> lines;
};
BoxText text_of(const DiagramBox& box, const ModelToDotOptions& options);

// With &amp; and its like.
std::string escaped(std::string_view text);

}  // namespace plotting
}  // namespace systolic::inline v0
