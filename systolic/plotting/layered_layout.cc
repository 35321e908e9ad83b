#include "systolic/plotting/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace systolic::inline v0 {
namespace plotting {
namespace {

constexpr double gap_between_boxes = 30, gap_between_layers = 45, width_of_line = 16;
constexpr int rounds = 12;

using Numbers = std::vector<size_t>;

// The boxes in an order in which each stands after all that it leads to, and the lines that would
// close a circle.
struct DepthFirst {
  Numbers done;
  std::vector<std::pair<size_t, size_t>> upward;

  bool is_upward(size_t from, size_t to) const {
    return std::find(upward.begin(), upward.end(), std::pair(from, to)) != upward.end();
  }
};

// `next[box]`: the boxes that it leads to.
DepthFirst depth_first(const std::vector<Numbers>& next) {
  DepthFirst order;
  std::vector<int> state(next.size(), 0);  // 1: on the way, 2: done
  std::vector<std::pair<size_t, size_t>> way;
  for (size_t start = 0; start < next.size(); ++start) {
    if (state[start] == 0) way.emplace_back(start, 0);
    while (!way.empty()) {
      auto& [box, turn] = way.back();
      state[box] = 1;
      if (turn == next[box].size()) {
        state[box] = 2;
        order.done.push_back(box);
        way.pop_back();
        continue;
      }
      const size_t to = next[box][turn++];
      if (state[to] == 1) order.upward.emplace_back(box, to);
      if (state[to] == 0) way.emplace_back(to, 0);
    }
  }
  return order;
}

// Boxes, and where long lines pass a layer, as places in layers.
class Layers {
 public:
  Layers(const std::vector<BoxSize>& boxes, const std::vector<std::pair<int, int>>& lines);
  LayeredLayout result();

 private:
  size_t add_place(double width, size_t layer);
  void choose_layers(const std::vector<std::pair<int, int>>& lines);
  void add_line(std::pair<int, int> line);
  double middle_of(const Numbers& neighbors, double otherwise) const;
  void order(bool from_above);
  size_t crossings() const;
  void order_all();
  void move(bool from_above, bool from_below);
  void place_all();

  std::vector<BoxSize> boxes_;
  std::vector<std::pair<size_t, size_t>> lines_;
  std::vector<double> widths_, x_;      // of places: first the boxes, then bends
  std::vector<size_t> layer_;           // of places
  std::vector<Numbers> above_, below_;  // neighbors of places
  std::vector<Numbers> order_;          // places of each layer, from the left
  std::vector<double> rank_;            // of places in their layer
  std::vector<Numbers> passes_;         // places of each line between its ends
  std::vector<bool> goes_up_;           // lines
};

Layers::Layers(const std::vector<BoxSize>& boxes, const std::vector<std::pair<int, int>>& lines)
    : boxes_(boxes), layer_(boxes.size(), 0), above_(boxes.size()), below_(boxes.size()) {
  for (const BoxSize& box : boxes) widths_.push_back(box.width);
  choose_layers(lines);
  for (const auto& line : lines) {
    lines_.emplace_back(line.first, line.second);
    add_line(line);
  }
  const size_t count = layer_.empty() ? 0 : *std::max_element(layer_.begin(), layer_.end()) + 1;
  order_.resize(count);
  for (size_t place = 0; place < layer_.size(); ++place) order_[layer_[place]].push_back(place);
  rank_.resize(layer_.size());
  x_.resize(layer_.size());
}

// Each box below all that lead to it; lines that would close a circle go up.
void Layers::choose_layers(const std::vector<std::pair<int, int>>& lines) {
  const size_t count = boxes_.size();
  std::vector<Numbers> next(count);
  for (const auto& [from, to] : lines)
    next[static_cast<size_t>(from)].push_back(static_cast<size_t>(to));
  const DepthFirst walk = depth_first(next);
  for (const auto& [from, to] : lines)
    goes_up_.push_back(walk.is_upward(static_cast<size_t>(from), static_cast<size_t>(to)));
  for (auto box = walk.done.rbegin(); box != walk.done.rend(); ++box) {
    for (const size_t to : next[*box])
      if (!walk.is_upward(*box, to)) layer_[to] = std::max(layer_[to], layer_[*box] + 1);
  }
  // What nothing leads to stands right above what it leads to.
  for (size_t box = 0; box < count; ++box) {
    if (layer_[box] != 0 || next[box].empty()) continue;
    size_t nearest = count;
    for (const size_t to : next[box])
      if (!walk.is_upward(box, to)) nearest = std::min(nearest, layer_[to]);
    if (nearest < count) layer_[box] = nearest - 1;
  }
}

size_t Layers::add_place(double width, size_t layer) {
  widths_.push_back(width);
  layer_.push_back(layer);
  above_.emplace_back();
  below_.emplace_back();
  return layer_.size() - 1;
}

void Layers::add_line(std::pair<int, int> line) {
  auto from = static_cast<size_t>(line.first), to = static_cast<size_t>(line.second);
  Numbers passes;
  const bool goes_up = goes_up_[passes_.size()];
  if (goes_up) std::swap(from, to);
  if (from != to) {
    size_t last = from;
    for (size_t layer = layer_[from] + 1; layer <= layer_[to]; ++layer) {
      const size_t place = layer == layer_[to] ? to : add_place(width_of_line, layer);
      below_[last].push_back(place);
      above_[place].push_back(last);
      if (place != to) passes.push_back(place);
      last = place;
    }
  }
  if (goes_up) std::reverse(passes.begin(), passes.end());
  passes_.push_back(std::move(passes));
}

double Layers::middle_of(const Numbers& neighbors, double otherwise) const {
  if (neighbors.empty()) return otherwise;
  double sum = 0;
  for (const size_t place : neighbors) sum += rank_[place];
  return sum / static_cast<double>(neighbors.size());
}

// Each layer by the middle of its neighbors in the one before.
void Layers::order(bool from_above) {
  for (size_t turn = 1; turn < order_.size(); ++turn) {
    Numbers& layer = order_[from_above ? turn : order_.size() - 1 - turn];
    std::vector<std::pair<double, size_t>> wanted;
    for (const size_t place : layer)
      wanted.emplace_back(middle_of(from_above ? above_[place] : below_[place], rank_[place]),
                          place);
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < layer.size(); ++i) layer[i] = wanted[i].second;
    for (size_t i = 0; i < layer.size(); ++i) rank_[layer[i]] = static_cast<double>(i);
  }
}

size_t Layers::crossings() const {
  size_t count = 0;
  for (const Numbers& layer : order_) {
    std::vector<double> ends;
    for (const size_t place : layer) {
      std::vector<double> own;
      for (const size_t to : below_[place]) own.push_back(rank_[to]);
      std::sort(own.begin(), own.end());
      for (const double end : own)
        count += static_cast<size_t>(
            std::count_if(ends.begin(), ends.end(), [&](double other) { return other > end; }));
      ends.insert(ends.end(), own.begin(), own.end());
    }
  }
  return count;
}

void Layers::order_all() {
  const auto rank_as = [&](const std::vector<Numbers>& order) {
    for (const Numbers& layer : order)
      for (size_t i = 0; i < layer.size(); ++i) rank_[layer[i]] = static_cast<double>(i);
  };
  rank_as(order_);
  std::vector<Numbers> best = order_;
  size_t fewest = crossings();
  for (int round = 0; round < rounds && fewest > 0; ++round) {
    order(round % 2 == 0);
    const size_t now = crossings();
    if (now < fewest) best = order_;
    fewest = std::min(fewest, now);
  }
  order_ = best;
  rank_as(order_);
}

// Each place towards the middle of its neighbors, as far as the order and the gaps allow: the least
// sum of squares, by joining neighbors that push each other.
void Layers::move(bool from_above, bool from_below) {
  struct Block {
    double sum, count;
  };
  for (size_t turn = 0; turn < order_.size(); ++turn) {
    const Numbers& layer = order_[from_above ? turn : order_.size() - 1 - turn];
    std::vector<double> offsets;
    std::vector<Block> blocks;
    double offset = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      const size_t place = layer[i];
      if (i > 0) offset += (widths_[layer[i - 1]] + widths_[place]) / 2 + gap_between_boxes;
      offsets.push_back(offset);
      double sum = 0, count = 0;
      for (const Numbers* side :
           {from_above ? &above_[place] : nullptr, from_below ? &below_[place] : nullptr}) {
        for (const size_t other : side == nullptr ? Numbers{} : *side) {
          sum += x_[other];
          ++count;
        }
      }
      blocks.push_back({(count > 0 ? sum / count : x_[place]) - offset, 1});
      while (blocks.size() > 1) {
        Block &last = blocks.back(), &before = blocks[blocks.size() - 2];
        if (before.sum / before.count <= last.sum / last.count) break;
        before = {before.sum + last.sum, before.count + last.count};
        blocks.pop_back();
      }
    }
    size_t i = 0;
    for (const Block& block : blocks)
      for (double left = block.count; left > 0; --left, ++i)
        x_[layer[i]] = block.sum / block.count + offsets[i];
  }
}

void Layers::place_all() {
  for (int round = 0; round < rounds; ++round) move(round % 2 == 0, round % 2 == 1);
  move(true, true);
  double left = 0;
  for (size_t place = 0; place < x_.size(); ++place)
    left = place == 0 ? x_[0] - widths_[0] / 2 : std::min(left, x_[place] - widths_[place] / 2);
  for (double& x : x_) x -= left;
}

LayeredLayout Layers::result() {
  order_all();
  place_all();
  LayeredLayout layout;
  std::vector<double> tops, bottoms;
  double top = 0;
  for (const Numbers& layer : order_) {
    double height = 0;
    for (const size_t place : layer)
      if (place < boxes_.size()) height = std::max(height, boxes_[place].height);
    tops.push_back(top);
    bottoms.push_back(top + height);
    layout.size.height = top + height;
    top += height + gap_between_layers;
  }
  const auto at = [&](size_t place, double y) { return Point{x_[place], y}; };
  for (size_t box = 0; box < boxes_.size(); ++box)
    layout.centers.push_back(at(box, (tops[layer_[box]] + bottoms[layer_[box]]) / 2));
  for (size_t line = 0; line < passes_.size(); ++line) {
    // Straight through each layer, so that lines bend between the layers alone.
    const auto& [from, to] = lines_[line];
    const bool goes_down = !goes_up_[line] && from != to;
    std::vector<Point> bends;
    if (goes_down) bends.push_back(at(from, bottoms[layer_[from]]));
    for (const size_t place : passes_[line]) {
      const double near = tops[layer_[place]], far = bottoms[layer_[place]];
      bends.push_back(at(place, goes_down ? near : far));
      bends.push_back(at(place, goes_down ? far : near));
    }
    if (goes_down) bends.push_back(at(to, tops[layer_[to]]));
    layout.bends.push_back(std::move(bends));
  }
  for (size_t place = 0; place < x_.size(); ++place)
    layout.size.width = std::max(layout.size.width, x_[place] + widths_[place] / 2);
  return layout;
}

}  // namespace

LayeredLayout layered_layout(const std::vector<BoxSize>& boxes,
                             const std::vector<std::pair<int, int>>& lines) {
  return Layers(boxes, lines).result();
}

}  // namespace plotting
}  // namespace systolic::inline v0
