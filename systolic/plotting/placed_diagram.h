// Where the boxes, frames and lines of a diagram stand. Internal to plotting.
#pragma once

#include <vector>

#include "systolic/plotting/layered_layout.h"
#include "systolic/plotting/model_diagram.h"

namespace systolic::inline v0 {
namespace plotting {

struct PlacedBox {
  Point center;
  BoxSize size;
};
struct PlacedDiagram {
  std::vector<PlacedBox> boxes, frames;
  std::vector<std::vector<Point>> lines;  // from the border of a box to that of another
  BoxSize size;
};
// Layers go down the page, or to the right with `sideways`; the other ways are mirrored. A frame is
// laid out by itself, and stands in the one around it as a box would.
PlacedDiagram placed_diagram(const Diagram& diagram, const std::vector<BoxSize>& boxes,
                             bool sideways, bool mirrored);

}  // namespace plotting
}  // namespace systolic::inline v0
