// Models as DOT and SVG, and where the boxes stand.
#include "systolic/plotting/plot_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/nn/layers/all.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/plotting/layered_layout.h"
#include "systolic/plotting/model_diagram.h"
#include "systolic/plotting/placed_diagram.h"

namespace systolic {
namespace {

using plotting::Diagram;
using plotting::diagram_of;
using plotting::layered_layout;
using plotting::LayeredLayout;

Model small_chain() {
  return Sequential({Input{.shape = {4}}, Dense{.units = 3, .activation = "relu", .name = "first"},
                     Dense{.units = 2, .name = "second"}});
}

// Two inputs, a shared layer, a model inside, and a way around it.
Model branched() {
  const Symbol a = input({.shape = {4}, .name = "a"}), b = input({.shape = {4}, .name = "b"});
  const Layer shared = Dense{.units = 5, .name = "shared"};
  const Symbol u = shared(a), v = shared(b);
  const Network block = Sequential({Input{.shape = {5}}, Dense{.units = 5, .name = "inner"},
                                    Dropout{.rate = 0.5, .name = "drop"}});
  const Symbol through = Layer(block)(u);
  const Symbol sum = Add{.name = "sum"}({through, v});
  return Model({a, b}, Dense{.units = 1, .name = "end"}(Concatenate{.name = "both"}({sum, u})));
}

std::vector<std::string> lines_of(const Diagram& diagram) {
  std::vector<std::string> lines;
  for (const auto& [from, to] : diagram.lines)
    lines.push_back(diagram.boxes[static_cast<size_t>(from)].name + " " +
                    diagram.boxes[static_cast<size_t>(to)].name);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(PlotModel, AChainHasALineBetweenLayers) {
  const Diagram diagram = diagram_of(small_chain().network(), false);
  ASSERT_EQ(diagram.boxes.size(), 2u);  // inputs of chains are not shown, as in Keras
  EXPECT_EQ(lines_of(diagram), std::vector<std::string>{"first second"});
  EXPECT_EQ(diagram.boxes[0].activation, "relu");
  EXPECT_EQ(diagram.boxes[0].inputs, std::vector<Shape>{(Shape{-1, 4})});
  EXPECT_EQ(diagram.boxes[0].outputs, std::vector<Shape>{(Shape{-1, 3})});
  EXPECT_TRUE(diagram.boxes[0].has_weights);
}

TEST(PlotModel, SharedLayersAndModelsInsideAreOneBox) {
  const Diagram diagram = diagram_of(branched().network(), false);
  const std::vector<std::string> wanted = {"a shared",       "b shared",    "both end",
                                           "sequential sum", "shared both", "shared sequential",
                                           "shared sum",     "sum both"};
  EXPECT_EQ(lines_of(diagram), wanted);
}

TEST(PlotModel, ModelsInsideBecomeFrames) {
  const Diagram diagram = diagram_of(branched().network(), true);
  ASSERT_EQ(diagram.frames.size(), 1u);
  EXPECT_EQ(diagram.frames[0].name, "sequential");
  const std::vector<std::string> wanted = {"a shared",     "b shared",   "both end",
                                           "drop sum",     "inner drop", "shared both",
                                           "shared inner", "shared sum", "sum both"};
  EXPECT_EQ(lines_of(diagram), wanted);
  for (const plotting::DiagramBox& box : diagram.boxes)
    EXPECT_EQ(box.frame, box.name == "inner" || box.name == "drop" ? 0 : -1) << box.name;
}

TEST(PlotModel, DotSaysWhatIsAsked) {
  const std::string plain = model_to_dot(small_chain());
  EXPECT_NE(plain.find("<b>first</b> (Dense)"), std::string::npos) << plain;
  EXPECT_NE(plain.find("layer0 -> layer1"), std::string::npos);
  EXPECT_EQ(plain.find("shape:"), std::string::npos);
  const std::string all = model_to_dot(small_chain(), {.show_shapes = true,
                                                       .show_dtype = true,
                                                       .show_layer_names = false,
                                                       .rankdir = "LR",
                                                       .show_layer_activations = true,
                                                       .show_trainable = true});
  for (const char* part : {"rankdir=LR", "<b>Dense</b>", "Input shape: <b>(None, 4)</b>",
                           "Output shape: <b>(None, 2)</b>", "Output dtype: <b>float32</b>",
                           "Activation: <b>relu</b>", "bgcolor=\"forestgreen\""})
    EXPECT_NE(all.find(part), std::string::npos) << part;
  EXPECT_EQ(all.find("first"), std::string::npos);
  const std::string nested = model_to_dot(branched(), {.expand_nested = true});
  EXPECT_NE(nested.find("subgraph cluster0 {"), std::string::npos) << nested;
}

TEST(PlotModel, FilesFollowTheirEnding) {
  const std::string folder = testing::TempDir() + "plot_model";
  std::filesystem::create_directories(folder);
  const Model model = branched();
  plot_model(model,
             {.to_file = folder + "/model.svg", .show_shapes = true, .show_layer_names = true});
  const std::string svg = io::read_file(folder + "/model.svg");
  EXPECT_EQ(svg.rfind("<svg", 0), 0u);
  EXPECT_NE(svg.find("(None, 5)"), std::string::npos);
  EXPECT_NE(svg.find("shared"), std::string::npos);
  plot_model(model, {.to_file = folder + "/model.dot"});
  EXPECT_EQ(io::read_file(folder + "/model.dot").rfind("digraph", 0), 0u);
  EXPECT_THROW(plot_model(model, {.to_file = folder + "/model.png"}), InvalidArgument);
  EXPECT_THROW(model_to_dot(Model(Sequential({Dense{.units = 1}}))), FailedPrecondition);
}

TEST(PlotModel, NamesAreEscaped) {
  const Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1, .name = "a<b>&\"c\""}});
  EXPECT_NE(model_to_svg(model).find("a&lt;b&gt;&amp;&quot;c&quot;"), std::string::npos);
  EXPECT_NE(model_to_dot(model).find("a&lt;b&gt;&amp;&quot;c&quot;"), std::string::npos);
}

bool overlap(const plotting::PlacedBox& a, const plotting::PlacedBox& b) {
  return std::abs(a.center.x - b.center.x) < (a.size.width + b.size.width) / 2 - 1e-6 &&
         std::abs(a.center.y - b.center.y) < (a.size.height + b.size.height) / 2 - 1e-6;
}

TEST(PlotModel, BoxesDoNotOverlapAndFramesHoldTheirs) {
  const Diagram diagram = diagram_of(branched().network(), true);
  const std::vector<plotting::BoxSize> sizes(diagram.boxes.size(), {90, 30});
  for (const auto& [sideways, mirrored] :
       {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
    const plotting::PlacedDiagram placed = placed_diagram(diagram, sizes, sideways, mirrored);
    for (size_t i = 0; i < placed.boxes.size(); ++i) {
      for (size_t k = 0; k < i; ++k)
        EXPECT_FALSE(overlap(placed.boxes[i], placed.boxes[k])) << i << " " << k;
      EXPECT_EQ(overlap(placed.boxes[i], placed.frames[0]), diagram.boxes[i].frame == 0) << i;
      EXPECT_LE(placed.boxes[i].center.x + 45, placed.size.width + 1e-6);
      EXPECT_LE(placed.boxes[i].center.y + 15, placed.size.height + 1e-6);
    }
    for (size_t line = 0; line < placed.lines.size(); ++line) {
      const auto along = [sideways = sideways](const plotting::Point& at) {
        return sideways ? at.x : at.y;
      };
      const double way = along(placed.lines[line].back()) - along(placed.lines[line].front());
      EXPECT_GT(mirrored ? -way : way, 0) << line;
    }
  }
}

TEST(LayeredLayout, LinesGoDownOrCloseACircle) {
  // 0 -> 1 -> 2 -> 3, a line past two layers, and one back.
  const LayeredLayout layout = layered_layout({{40, 10}, {40, 10}, {60, 20}, {40, 10}},
                                              {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 1}, {2, 2}});
  for (size_t i = 1; i < 4; ++i) EXPECT_GT(layout.centers[i].y, layout.centers[i - 1].y);
  // Out of a layer, in and out of each that is passed, and into the last.
  EXPECT_EQ(layout.bends[0].size(), 2u);
  EXPECT_EQ(layout.bends[3].size(), 6u);
  EXPECT_EQ(layout.bends[4].size(), 2u);  // from 3 up to 1
  // A long line does not run through the boxes that it passes.
  for (size_t bend = 1; bend < 5; ++bend)
    for (const size_t passed : {1u, 2u})
      EXPECT_GT(std::abs(layout.bends[3][bend].x - layout.centers[passed].x), 20);
  EXPECT_EQ(layered_layout({}, {}).size.width, 0);
}

TEST(LayeredLayout, CrossingsAreTakenOut) {
  // Two chains, whose lower boxes come in the other order.
  const LayeredLayout layout =
      layered_layout({{20, 10}, {20, 10}, {20, 10}, {20, 10}}, {{0, 3}, {1, 2}});
  EXPECT_EQ(layout.centers[0].x < layout.centers[1].x, layout.centers[3].x < layout.centers[2].x);
}

}  // namespace
}  // namespace systolic
