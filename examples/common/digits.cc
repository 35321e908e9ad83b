#include "examples/common/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace examples {
namespace {

using systolic::Literal;

constexpr int side = 28;

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;

Stroke arc(Point centre, double rx, double ry, double from, double to) {
  Stroke points;
  constexpr int pieces = 16;
  for (int i = 0; i <= pieces; ++i) {
    const double angle = (from + (to - from) * i / pieces) * M_PI / 180;
    points.push_back({centre.x + rx * std::cos(angle), centre.y + ry * std::sin(angle)});
  }
  return points;
}

// Each digit in the unit square, y downwards; angles clockwise from the right.
std::vector<Stroke> strokes_of(int digit) {
  switch (digit) {
    case 0:
      return {arc({.5, .5}, .24, .36, 0, 360)};
    case 1:
      return {{{.38, .26}, {.54, .14}, {.54, .86}}};
    case 2:
      return {arc({.5, .34}, .22, .2, 180, 380), {{.7, .41}, {.28, .86}, {.74, .86}}};
    case 3:
      return {arc({.47, .32}, .22, .18, 200, 450), arc({.47, .68}, .25, .19, 270, 520)};
    case 4:
      return {{{.6, .86}, {.6, .14}, {.24, .62}, {.78, .62}}};
    case 5:
      return {{{.7, .15}, {.34, .15}, {.31, .47}}, arc({.47, .64}, .24, .22, 230, 510)};
    case 6:
      return {{{.62, .13}, {.4, .36}, {.28, .62}}, arc({.5, .66}, .22, .2, 0, 360)};
    case 7:
      return {{{.26, .16}, {.74, .16}, {.42, .86}}};
    case 8:
      return {arc({.5, .32}, .19, .17, 0, 360), arc({.5, .68}, .23, .19, 0, 360)};
    default:
      return {arc({.5, .35}, .21, .2, 0, 360), {{.71, .36}, {.68, .6}, {.54, .87}}};
  }
}

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t =
      length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

class Renderer {
 public:
  explicit Renderer(uint64_t seed) : random_(seed) {}

  void render(int digit, uint8_t* pixels) {
    std::vector<Stroke> strokes = strokes_of(digit);
    distort(strokes);
    const double thickness = between(0.030, 0.060);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x)
        pixels[y * side + x] = shade({(x + .5) / side, (y + .5) / side}, strokes, thickness);
    }
  }
  int label() { return static_cast<int>(random_() % 10); }

 private:
  // The standard defines the engine to the bit, but not its distributions.
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }

  // Rotation, slant, size and place, then a wave that bends the strokes.
  void distort(std::vector<Stroke>& strokes) {
    const double angle = between(-.25, .25), slant = between(-.25, .25);
    const double width = between(.75, 1.1), height = between(.8, 1.05);
    const double left = between(-.08, .08), down = between(-.08, .08);
    const double wave = between(0, .035), phase_x = between(0, 6.3), phase_y = between(0, 6.3);
    for (Stroke& stroke : strokes) {
      for (Point& p : stroke) {
        const double x = (p.x - .5) * width, y = (p.y - .5) * height;
        const double sx = x - slant * y;
        p = {.5 + sx * std::cos(angle) - y * std::sin(angle) + left,
             .5 + sx * std::sin(angle) + y * std::cos(angle) + down};
        p.x += wave * std::sin(7 * p.y + phase_x);
        p.y += wave * std::sin(7 * p.x + phase_y);
      }
    }
  }

  static uint8_t shade(Point p, const std::vector<Stroke>& strokes, double thickness) {
    double nearest = 1;
    for (const Stroke& stroke : strokes) {
      for (size_t i = 0; i + 1 < stroke.size(); ++i) {
        nearest = std::min(nearest, distance_to_segment(p, stroke[i], stroke[i + 1]));
      }
    }
    const double edge = 0.6 / side;
    return static_cast<uint8_t>(255 * std::clamp((thickness - nearest) / edge + .5, 0.0, 1.0));
  }

  std::mt19937_64 random_;
};

}  // namespace

Digits render_digits(int64_t count, uint64_t seed) {
  Digits digits{Literal(systolic::DType::u8, {count, side, side}),
                Literal(systolic::DType::u8, {count})};
  auto images = digits.images.mutable_data<uint8_t>();
  auto labels = digits.labels.mutable_data<uint8_t>();
  Renderer renderer(seed);
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<uint8_t>(renderer.label());
    renderer.render(labels[i], images.data() + i * side * side);
  }
  return digits;
}

}  // namespace examples
