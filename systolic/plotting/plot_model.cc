#include "systolic/plotting/plot_model.h"

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/plotting/dot_text.h"
#include "systolic/plotting/model_diagram.h"
#include "systolic/plotting/svg_text.h"

namespace systolic::inline v0 {
namespace {

using DrawFunction = std::string(const plotting::Diagram&, const std::string&,
                                 const ModelToDotOptions&);

std::string drawn_by(DrawFunction* draw, const Model& model, const ModelToDotOptions& options,
                     SourceLocation location) {
  const Network& network = model.network();
  if (!network.built()) {
    raise<FailedPrecondition>({.what = "the model is not built, so that its layers are not known",
                               .hint = "begin with Input{...}, or call the model on a batch first",
                               .location = location});
  }
  return draw(plotting::diagram_of(network, options.expand_nested), network.name(), options);
}

}  // namespace

std::string model_to_dot(const Model& model, const ModelToDotOptions& options,
                         SourceLocation location) {
  return drawn_by(plotting::dot_of, model, options, location);
}

std::string model_to_svg(const Model& model, const ModelToDotOptions& options,
                         SourceLocation location) {
  return drawn_by(plotting::svg_of, model, options, location);
}

void plot_model(const Model& model, const PlotModelOptions& options, SourceLocation location) {
  const ModelToDotOptions shown{.show_shapes = options.show_shapes,
                                .show_dtype = options.show_dtype,
                                .show_layer_names = options.show_layer_names,
                                .rankdir = options.rankdir,
                                .expand_nested = options.expand_nested,
                                .show_layer_activations = options.show_layer_activations,
                                .show_trainable = options.show_trainable};
  const std::string& path = options.to_file;
  if (path.ends_with(".svg")) return io::write_file(path, model_to_svg(model, shown, location));
  if (path.ends_with(".dot") || path.ends_with(".gv"))
    return io::write_file(path, model_to_dot(model, shown, location));
  raise<InvalidArgument>({.what = str("a picture in '", path, "'"),
                          .wanted = "a name that ends in .svg, .dot or .gv",
                          .hint = "Graphviz makes a PNG of DOT: dot -Tpng model.dot -o model.png",
                          .location = location});
}

}  // namespace systolic::inline v0
