// Models that begin with layers that take text (TextVectorization, StringLookup, Hashing,
// HashedCrossing), from Keras's .keras: these layers run on the host, the model after them on a
// device.
//
//   // Python: keras.Sequential([keras.Input((1,), dtype="string"), vectorize,
//   //                           keras.layers.Embedding(10_000, 32), ...]).save("sentiment.keras")
//   const TextModel sentiment = load_text_model("sentiment.keras");
//   sentiment.predict(Literal::strings({"a fine film", "dull"}));        // [2, 1]
//
//   Model model = sentiment.model();                                     // what trains on
//   model.fit(train.map([=](const Literal& text, const Literal& y) {
//     return std::pair(sentiment.prepare(text).only(), y);
//   }));
#pragma once

#include <memory>
#include <string>

#include "systolic/train/model/model.h"
#include "systolic/train/options/save_options.h"

namespace systolic::inline v0 {

// A shared handle, as Model is one. Calls are safe from several threads.
class TextModel {
 public:
  // What the layers on the host make of the model's inputs, under the names of the inputs of
  // model(). `x`: the inputs as Keras's model takes them, in its order or by their names; texts are
  // strings [rows] or [rows, 1], other inputs stay as they are. Another number of arrays, and names
  // that the model does not have, are an InvalidArgument.
  Example prepare(const ModelArrays& x, SourceLocation location = SourceLocation::current()) const;

  // The output of a model that has one; and every output under its name.
  Literal predict(const ModelArrays& x, const PredictOptions& options = {},
                  SourceLocation location = SourceLocation::current()) const;
  Example predict_outputs(const ModelArrays& x, const PredictOptions& options = {},
                          SourceLocation location = SourceLocation::current()) const;

  // The model after the layers on the host, compiled as the file says.
  const Model& model() const;
  // The names of the layers on the host, in the order in which they run.
  std::vector<std::string> host_layers() const;

 private:
  struct Parts;
  explicit TextModel(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  friend TextModel load_text_model(const std::string& path, const LoadOptions& options,
                                   SourceLocation location);
  std::shared_ptr<const Parts> parts_;
};

// Sequential and functional models whose inputs of strings go to such layers alone. Vocabularies
// and weights of tokens are read with them; what load_model says of other layers and of damage
// holds here. A model without an input of strings is an InvalidArgument.
TextModel load_text_model(const std::string& path, const LoadOptions& options = {},
                          SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
