// keras_rs.layers.DistributedEmbedding: the same tables as TPUEmbedding's, under Keras
// Recommenders' names.
//
//   const keras_rs::layers::TableConfig movies{.name = "movies", .vocabulary_size = 2000,
//                                              .embedding_dim = 32};
//   const std::vector<Symbol> activations = keras_rs::layers::DistributedEmbedding{
//       .feature_configs = {{.name = "watched", .table = movies}}}({watched});
//
// Inputs: for each feature its ids, [batch, ids] -> [batch, embedding_dim], combined; ids [batch]
// are one for each sample. As many inputs again are weights, of the ids' shapes.
#pragma once

#include <vector>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/embedding/config.h"
#include "systolic/nn/embedding/table_config_values.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {
namespace keras_rs::layers {

struct TableConfig {
  Required<std::string> name;
  Required<int64_t> vocabulary_size;
  Required<int64_t> embedding_dim;
  Initializer initializer = "random_uniform";
  // None: what the model is compiled with, which moves all rows.
  std::optional<tpu::experimental::embedding::EmbeddingOptimizer> optimizer = {};
  tpu::experimental::embedding::Combiner combiner = "mean";
};

// Features of tables of one name share the table.
struct FeatureConfig {
  Required<std::string> name;
  Required<TableConfig> table;
};

// As data, in the form of tpu::experimental::embedding's.
Config to_config(const std::vector<FeatureConfig>& features);
void from_config(const Config& config, std::vector<FeatureConfig>& features);

struct DistributedEmbedding {
  static constexpr const char* kind = "DistributedEmbedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  std::vector<FeatureConfig> feature_configs;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;
  static KerasForm keras_form();

  template <class Self = DistributedEmbedding>
  static constexpr auto fields() {
    return std::tuple(field("feature_configs", &Self::feature_configs),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }

  Symbol operator()(const Symbol& ids) && { return call_once(std::move(*this), ids); }
  std::vector<Symbol> operator()(const std::vector<Symbol>& xs) && {
    const SourceLocation line = location;
    return Layer(std::move(*this)).outputs(xs, line);
  }
};

namespace internal {

// As tables_of takes them: the tables of one name become one.
std::vector<tpu::experimental::embedding::FeatureConfig> with_tables(
    const std::vector<FeatureConfig>& features, SourceLocation location);

}  // namespace internal
}  // namespace keras_rs::layers

extern template Layer::Layer(keras_rs::layers::DistributedEmbedding);

}  // namespace systolic::inline v0
