// Places for boxes in layers, from the top to the bottom, and lines between them (Sugiyama, Tagawa,
// Toda, "Methods for visual understanding of hierarchical system structures", 1981). Internal to
// plotting.
#pragma once

#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace plotting {

struct Point {
  double x = 0, y = 0;
};
struct BoxSize {
  double width = 0, height = 0;
};
struct LayeredLayout {
  std::vector<Point> centers;             // of the boxes
  std::vector<std::vector<Point>> bends;  // of each line: where it leaves, enters and passes layers
  BoxSize size;                           // of the whole, which begins at (0, 0)
};
// Lines go from box to box; those back up are allowed. Most are as straight as the others let them.
LayeredLayout layered_layout(const std::vector<BoxSize>& boxes,
                             const std::vector<std::pair<int, int>>& lines);

}  // namespace plotting
}  // namespace systolic::inline v0
