// A model as a picture of its layers (keras.utils.plot_model and model_to_dot): DOT, which Graphviz
// draws, or SVG, for which nothing else is needed.
//
//   plot_model(model, {.to_file = "model.svg", .show_shapes = true});
//   std::cout << model_to_dot(model, {.expand_nested = true});
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/nn/config/choice.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {

// Where the drawing goes: from the top to the bottom, ..., from the right to the left.
struct RankDirNames {
  SYSTOLIC_NAMES(throw "rankdir must be one of: TB BT LR RL")
};
using RankDir = Choice<RankDirNames>;

struct PlotModelOptions {
  std::string to_file = "model.svg";  // .svg, .dot or .gv
  bool show_shapes = false;
  bool show_dtype = false;
  bool show_layer_names = false;
  RankDir rankdir = "TB";
  bool expand_nested = false;  // models in the model as frames around their layers
  bool show_layer_activations = false;
  bool show_trainable = false;
};
// Writes the file. InvalidArgument for another ending: a PNG is made of the others, by Graphviz
// (dot -Tpng model.dot) or a browser. FailedPrecondition for a model that is not built.
void plot_model(const Model& model, const PlotModelOptions& options = {},
                SourceLocation location = SourceLocation::current());

// The same without a file; names are shown unless told otherwise, as in Keras.
struct ModelToDotOptions {
  bool show_shapes = false;
  bool show_dtype = false;
  bool show_layer_names = true;
  RankDir rankdir = "TB";
  bool expand_nested = false;
  bool show_layer_activations = false;
  bool show_trainable = false;
};
std::string model_to_dot(const Model& model, const ModelToDotOptions& options = {},
                         SourceLocation location = SourceLocation::current());
std::string model_to_svg(const Model& model, const ModelToDotOptions& options = {},
                         SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
