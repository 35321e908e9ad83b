#include "systolic/plotting/svg_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "systolic/base/text.h"
#include "systolic/plotting/box_text.h"
#include "systolic/plotting/placed_diagram.h"

namespace systolic::inline v0 {
namespace plotting {
namespace {

constexpr double title_height = 32, line_height = 26, padding = 14, margin = 20;
constexpr double title_letter = 9.2, line_letter = 7.4;  // widths, on the average
constexpr double least_width = 110;

// Short: "12.5".
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string line_text(const BoxLine& line) {
  return line.label.empty() ? line.value : str(line.label, ": ", line.value);
}

std::string title_text(const BoxText& text) {
  return text.name.empty() ? text.kind : str(text.name, " (", text.kind, ")");
}

BoxSize size_of(const BoxText& text) {
  double width = static_cast<double>(title_text(text).size()) * title_letter;
  for (const BoxLine& line : text.lines)
    width = std::max(width, static_cast<double>(line_text(line).size()) * line_letter);
  return {std::max(least_width, std::ceil(width + 2 * padding)),
          title_height + line_height * static_cast<double>(text.lines.size())};
}

std::string rectangle(Point corner, BoxSize size, std::string_view style) {
  return str("<rect x=\"", number(corner.x), "\" y=\"", number(corner.y), "\" width=\"",
             number(size.width), "\" height=\"", number(size.height), "\" ", style, "/>\n");
}

std::string words(Point at, std::string_view style, const std::string& content) {
  return str("<text x=\"", number(at.x), "\" y=\"", number(at.y), "\" ", style, ">", content,
             "</text>\n");
}

std::string title_markup(const BoxText& text) {
  if (text.name.empty()) return escaped(text.kind);
  return str(escaped(text.name), " <tspan font-weight=\"normal\">(", escaped(text.kind),
             ")</tspan>");
}

std::string box_markup(const BoxText& text, const PlacedBox& box) {
  const Point corner{box.center.x - box.size.width / 2, box.center.y - box.size.height / 2};
  std::string result = rectangle(corner, box.size, "class=\"box\"");
  result += rectangle(corner, {box.size.width, title_height}, "class=\"title\"");
  result += words({box.center.x, corner.y + title_height / 2 + 5.5}, "class=\"title\"",
                  title_markup(text));
  double top = corner.y + title_height;
  for (const BoxLine& line : text.lines) {
    const bool is_colored = !line.color.empty();
    if (is_colored)
      result += rectangle({corner.x, top}, {box.size.width, line_height},
                          str("stroke=\"black\" fill=\"", line.color, "\""));
    const std::string label = line.label.empty() ? "" : escaped(line.label) + ": ";
    result += words({box.center.x, top + line_height / 2 + 4.5}, is_colored ? "fill=\"white\"" : "",
                    str(label, "<tspan font-weight=\"bold\">", escaped(line.value), "</tspan>"));
    top += line_height;
  }
  return result;
}

// Bent softly: each piece leaves and arrives along the way that layers go.
std::string line_markup(const std::vector<Point>& points, bool sideways) {
  std::string path = str("M", number(points[0].x), ",", number(points[0].y));
  for (size_t i = 1; i < points.size(); ++i) {
    const Point &from = points[i - 1], &to = points[i];
    const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
    const Point first = sideways ? Point{middle.x, from.y} : Point{from.x, middle.y};
    const Point second = sideways ? Point{middle.x, to.y} : Point{to.x, middle.y};
    path += str(" C", number(first.x), ",", number(first.y), " ", number(second.x), ",",
                number(second.y), " ", number(to.x), ",", number(to.y));
  }
  return str("<path d=\"", path, "\"/>\n");
}

std::string frame_markup(const DiagramFrame& frame, const PlacedBox& place) {
  const Point corner{place.center.x - place.size.width / 2, place.center.y - place.size.height / 2};
  return rectangle(corner, place.size, "class=\"frame\"") +
         words({corner.x + 10, corner.y + 19}, "class=\"frame\"", escaped(frame.name));
}

constexpr const char* style =
    "<style>\n"
    "text { font: 13px Helvetica, Arial, sans-serif; text-anchor: middle; }\n"
    "text.title { font-size: 16px; font-weight: bold; fill: white; }\n"
    "text.frame { text-anchor: start; }\n"
    ".box { fill: white; stroke: black; } rect.title { fill: black; }\n"
    "rect.frame { fill: none; stroke: gray; stroke-dasharray: 6 4; }\n"
    "path { fill: none; stroke: black; stroke-width: 2; marker-end: url(#tip); }\n"
    "</style>\n"
    "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"5\" "
    "markerHeight=\"5\" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\" style=\"fill: black; "
    "stroke: none; marker-end: none\"/></marker></defs>\n";

}  // namespace

std::string svg_of(const Diagram& diagram, const std::string& name,
                   const ModelToDotOptions& options) {
  std::vector<BoxText> texts;
  std::vector<BoxSize> sizes;
  for (const DiagramBox& box : diagram.boxes) {
    texts.push_back(text_of(box, options));
    sizes.push_back(size_of(texts.back()));
  }
  const RankDir way = options.rankdir;
  const bool sideways = way.is("LR") || way.is("RL");
  const PlacedDiagram placed =
      placed_diagram(diagram, sizes, sideways, way.is("BT") || way.is("RL"));
  const std::string width = number(placed.size.width + 2 * margin);
  const std::string height = number(placed.size.height + 2 * margin);
  std::string result =
      str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
          "\" viewBox=\"", number(-margin), " ", number(-margin), " ", width, " ", height,
          "\">\n<title>", escaped(name), "</title>\n", style,
          rectangle({-margin, -margin},
                    {placed.size.width + 2 * margin, placed.size.height + 2 * margin},
                    "fill=\"white\""));
  for (size_t i = 0; i < diagram.frames.size(); ++i)
    result += frame_markup(diagram.frames[i], placed.frames[i]);
  for (const std::vector<Point>& line : placed.lines) result += line_markup(line, sideways);
  for (size_t i = 0; i < texts.size(); ++i) result += box_markup(texts[i], placed.boxes[i]);
  return result + "</svg>\n";
}

}  // namespace plotting
}  // namespace systolic::inline v0
