// Embedding tables as a layer: tfrs.layers.embedding.TPUEmbedding. Its tables lie by rows over all
// cores, so that together they may be larger than the memory of one, and each step moves the rows
// that it looked up and no others, by the table's own optimizer; what the model is compiled with
// moves all else.
//
//   namespace embedding = tpu::experimental::embedding;
//   const embedding::TableConfig users{.vocabulary_size = 1000, .dim = 32, .name = "users"};
//   const Symbol user = input({.shape = Shape{}, .dtype = DType::i32, .name = "user"});
//   const Symbol vector = tfrs::layers::embedding::TPUEmbedding{
//       .feature_config = {{.table = users, .name = "user"}},
//       .optimizer = embedding::Adagrad{.learning_rate = 0.05}}(user);      // [batch, 32]
//
// Inputs: for each feature its ids, integers; after those of a ragged one its weights. Outputs: the
// activations of each, in the same order. fit, evaluate and predict find ids outside of a table on
// the host: an InvalidArgument that names the feature.
//
// Weights: one for each table, under its name, [table_rows(vocabulary_size), dim]; they are among
// the model's trainable_variables. A table without an optimizer, here or in its TableConfig, is
// moved by the model's, all of its rows.
#pragma once

#include <vector>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/embedding/config.h"
#include "systolic/nn/embedding/table_config_values.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {
namespace tfrs::layers::embedding {

struct TPUEmbedding {
  static constexpr const char* kind = "TPUEmbedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  std::vector<tpu::experimental::embedding::FeatureConfig> feature_config;
  // It moves the tables that name none.
  std::optional<tpu::experimental::embedding::EmbeddingOptimizer> optimizer = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;
  static KerasForm keras_form();

  template <class Self = TPUEmbedding>
  static constexpr auto fields() {
    return std::tuple(field("feature_config", &Self::feature_config),
                      field("optimizer", &Self::optimizer), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }

  // The activations of the only feature, or of each.
  Symbol operator()(const Symbol& ids) && { return call_once(std::move(*this), ids); }
  std::vector<Symbol> operator()(const std::vector<Symbol>& xs) && {
    const SourceLocation line = location;
    return Layer(std::move(*this)).outputs(xs, line);
  }
};

}  // namespace tfrs::layers::embedding

extern template Layer::Layer(tfrs::layers::embedding::TPUEmbedding);

}  // namespace systolic::inline v0
