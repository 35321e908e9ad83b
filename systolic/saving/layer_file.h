// One preprocessing layer with what it learnt, from and to Keras's .keras files: layers that take
// text run on the host, in a pipeline, and so are not part of a model here.
//
//   // Python: keras.Sequential([keras.Input((1,), dtype="string"), vectorize,
//   ...]).save("m.keras") const auto vectorize = load_layer<TextVectorization>("m.keras"); train =
//   train.map([=](const Literal& text, const Literal& y) {
//     return std::pair(vectorize(text), y);
//   });
//
//   save_layer(vectorize, "words.keras");
//   // Python: words = keras.saving.load_model("words.keras").layers[-1]
#pragma once

#include <string>

#include "systolic/nn/config/fields.h"
#include "systolic/nn/layers/preprocessing/discretization.h"
#include "systolic/nn/layers/preprocessing/hashing.h"
#include "systolic/nn/layers/preprocessing/integer_lookup.h"
#include "systolic/nn/layers/preprocessing/normalization.h"
#include "systolic/nn/layers/preprocessing/string_lookup.h"
#include "systolic/nn/layers/preprocessing/text_vectorization.h"

namespace systolic::inline v0 {

// Which of several layers of a kind; empty where the file has one.
struct LoadLayerOptions {
  std::string name = {};  // of the layer, where the file has several of its kind
};

namespace saving {
// The values of the layer's fields. NotFound without such a layer, InvalidArgument for several.
Config layer_values_in(const std::string& path, const std::string& kind, const std::string& name,
                       SourceLocation location);
// `token_weights`: of all places of a lookup that gives tf_idf; else none.
void write_layer_file(const Layer& layer, const std::vector<double>& token_weights,
                      const std::string& path, SourceLocation location);
}  // namespace saving

// The layer of kind Spec, wherever in the model's networks it stands: its vocabulary, weights of
// tokens, statistics and boundaries are its fields.
template <class Spec>
Spec load_layer(const std::string& path, const LoadLayerOptions& options = {},
                SourceLocation location = SourceLocation::current()) {
  return spec_from<Spec>(saving::layer_values_in(path, Spec::kind, options.name, location));
}

// A .keras file of a model that is the layer alone. Functions of one's own for standardizing and
// splitting are not in it.
template <class Spec>
void save_layer(const Spec& layer, const std::string& path,
                SourceLocation location = SourceLocation::current()) {
  std::vector<double> token_weights;
  if constexpr (requires { layer.rules(); }) {
    if (!layer.idf_weights.values().empty()) token_weights = Lookup(layer.rules()).weights();
  }
  saving::write_layer_file(Layer(layer), token_weights, path, location);
}

}  // namespace systolic::inline v0
