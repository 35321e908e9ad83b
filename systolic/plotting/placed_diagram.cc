#include "systolic/plotting/placed_diagram.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace systolic::inline v0 {
namespace plotting {
namespace {

constexpr double frame_margin = 18, title = 16;

BoxSize turned(BoxSize size) { return {size.height, size.width}; }
Point turned(Point point) { return {point.y, point.x}; }

// What stands in a frame, and where, from its corner on.
struct FrameLayout {
  std::vector<size_t> boxes, frames;             // boxes first, then the frames in it
  std::vector<std::pair<size_t, size_t>> lines;  // one of the diagram, and its one in `layout`
  LayeredLayout layout;
};

class Placer {
 public:
  Placer(const Diagram& diagram, const std::vector<BoxSize>& boxes, bool sideways)
      : diagram_(diagram), sideways_(sideways) {
    for (const BoxSize& size : boxes) placed_.boxes.push_back({{}, size});
    placed_.frames.resize(diagram.frames.size());
    placed_.lines.resize(diagram.lines.size());
  }
  PlacedDiagram place() {
    placed_.size = measure(-1);
    place_in(-1, {});
    for (size_t i = 0; i < diagram_.lines.size(); ++i) add_ends(i);
    return std::move(placed_);
  }

 private:
  int member_of(const FrameLayout& members, int frame, int box) const;
  void add_lines(FrameLayout& made, int frame, std::vector<std::pair<int, int>>& between) const;
  BoxSize measure(int frame);
  void place_in(int frame, Point corner);
  void add_ends(size_t line);

  const Diagram& diagram_;
  bool sideways_;
  PlacedDiagram placed_;
  std::map<int, FrameLayout> layouts_;
};

// The member of `frame` that is or holds a box, by its number; -1 for a box outside.
int Placer::member_of(const FrameLayout& members, int frame, int box) const {
  const auto number = [](const std::vector<size_t>& list, int one) {
    return static_cast<int>(std::find(list.begin(), list.end(), static_cast<size_t>(one)) -
                            list.begin());
  };
  int in = diagram_.boxes[static_cast<size_t>(box)].frame;
  if (in == frame) return number(members.boxes, box);
  while (in >= 0 && diagram_.frames[static_cast<size_t>(in)].frame != frame)
    in = diagram_.frames[static_cast<size_t>(in)].frame;
  return in < 0 ? -1 : static_cast<int>(members.boxes.size()) + number(members.frames, in);
}

// Those between its members: several of the diagram may be one here.
void Placer::add_lines(FrameLayout& made, int frame,
                       std::vector<std::pair<int, int>>& between) const {
  for (size_t line = 0; line < diagram_.lines.size(); ++line) {
    const std::pair<int, int> ends(member_of(made, frame, diagram_.lines[line].first),
                                   member_of(made, frame, diagram_.lines[line].second));
    if (ends.first < 0 || ends.second < 0 || ends.first == ends.second) continue;
    auto found = std::find(between.begin(), between.end(), ends);
    if (found == between.end()) found = between.insert(between.end(), ends);
    made.lines.emplace_back(line, found - between.begin());
  }
}

BoxSize Placer::measure(int frame) {
  FrameLayout made;
  std::vector<BoxSize> sizes;
  for (size_t i = 0; i < diagram_.boxes.size(); ++i) {
    if (diagram_.boxes[i].frame != frame) continue;
    made.boxes.push_back(i);
    sizes.push_back(placed_.boxes[i].size);
  }
  for (size_t i = 0; i < diagram_.frames.size(); ++i) {
    if (diagram_.frames[i].frame != frame) continue;
    made.frames.push_back(i);
    placed_.frames[i].size = measure(static_cast<int>(i));
    sizes.push_back(placed_.frames[i].size);
  }
  std::vector<std::pair<int, int>> between;
  add_lines(made, frame, between);
  if (sideways_)
    for (BoxSize& size : sizes) size = turned(size);
  made.layout = layered_layout(sizes, between);
  BoxSize size = sideways_ ? turned(made.layout.size) : made.layout.size;
  if (frame >= 0) size = {size.width + 2 * frame_margin, size.height + 2 * frame_margin + title};
  layouts_[frame] = std::move(made);
  return size;
}

void Placer::place_in(int frame, Point corner) {
  const FrameLayout& made = layouts_.at(frame);
  const auto at = [&](Point point) {
    if (sideways_) point = turned(point);
    return Point{corner.x + point.x, corner.y + point.y};
  };
  for (size_t i = 0; i < made.boxes.size(); ++i)
    placed_.boxes[made.boxes[i]].center = at(made.layout.centers[i]);
  for (const auto& [line, number] : made.lines)
    for (const Point& bend : made.layout.bends[number]) placed_.lines[line].push_back(at(bend));
  for (size_t i = 0; i < made.frames.size(); ++i) {
    PlacedBox& inner = placed_.frames[made.frames[i]];
    inner.center = at(made.layout.centers[made.boxes.size() + i]);
    place_in(static_cast<int>(made.frames[i]),
             {inner.center.x - inner.size.width / 2 + frame_margin,
              inner.center.y - inner.size.height / 2 + frame_margin + title});
  }
}

// From the lower border of one box to the upper one of the other, or from right to left.
void Placer::add_ends(size_t line) {
  const auto& [from, to] = diagram_.lines[line];
  const PlacedBox& first = placed_.boxes[static_cast<size_t>(from)];
  const PlacedBox& last = placed_.boxes[static_cast<size_t>(to)];
  std::vector<Point>& points = placed_.lines[line];
  const auto border = [&](const PlacedBox& box, double side) {
    return sideways_ ? Point{box.center.x + side * box.size.width / 2, box.center.y}
                     : Point{box.center.x, box.center.y + side * box.size.height / 2};
  };
  points.insert(points.begin(), border(first, 1));
  points.push_back(border(last, -1));
  // Two points in one place have no direction, which the tip of a line needs.
  const auto is_same = [](const Point& a, const Point& b) {
    return std::abs(a.x - b.x) + std::abs(a.y - b.y) < 0.5;
  };
  points.erase(std::unique(points.begin(), points.end(), is_same), points.end());
}

void mirror(PlacedDiagram& placed, bool sideways) {
  const auto flip = [&](Point& point) {
    if (sideways)
      point.x = placed.size.width - point.x;
    else
      point.y = placed.size.height - point.y;
  };
  for (PlacedBox& box : placed.boxes) flip(box.center);
  for (PlacedBox& frame : placed.frames) flip(frame.center);
  for (std::vector<Point>& line : placed.lines)
    for (Point& point : line) flip(point);
}

}  // namespace

PlacedDiagram placed_diagram(const Diagram& diagram, const std::vector<BoxSize>& boxes,
                             bool sideways, bool mirrored) {
  PlacedDiagram placed = Placer(diagram, boxes, sideways).place();
  if (mirrored) mirror(placed, sideways);
  return placed;
}

}  // namespace plotting
}  // namespace systolic::inline v0
