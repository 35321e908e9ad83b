#include "systolic/nn/embedding/tpu_embedding_layer.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/embedding/lookup.h"
#include "systolic/nn/embedding/table_weights.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace tfrs::layers::embedding {

using namespace tpu::experimental::embedding;

namespace {

size_t inputs_of(const FeatureConfig& feature) { return feature.ragged ? 2 : 1; }

void check_input_count(const Tables& tables, size_t given, SourceLocation location) {
  std::vector<std::string> wanted;
  for (const FeatureConfig& feature : tables.features) {
    wanted.push_back(feature.name);
    if (feature.ragged) wanted.push_back(str("the weights of ", feature.name));
  }
  if (given == wanted.size()) return;
  raise<InvalidArgument>({.what = str("TPUEmbedding is given ", given, " inputs"),
                          .wanted = str(wanted.size(), ": ", join(wanted)),
                          .location = location});
}

}  // namespace

std::vector<Tensor> TPUEmbedding::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const Tables tables = tables_of(feature_config, location);
  check_input_count(tables, xs.size(), location);
  const std::vector<Tensor> values = table_values(tables, optimizer, context, location);
  std::vector<Tensor> result;
  auto next = xs.begin();
  for (size_t i = 0; i < tables.features.size(); ++i) {
    const FeatureConfig& feature = tables.features[i];
    const std::string what = str("feature '", feature.name, "'");
    const ErrorScope scope(what, location);
    FeatureInput input{.ids = *next++, .weights = {}};
    context.check_integers_below(input.ids, feature.table->vocabulary_size);
    if (feature.ragged) input.weights = *next++;
    result.push_back(
        cast(activations(feature, values[tables.table_of[i]], input), context.compute_dtype()));
  }
  return result;
}

std::vector<LookupLimit> TPUEmbedding::lookups() const {
  std::vector<LookupLimit> result;
  size_t input = 0;
  for (const FeatureConfig& feature : tables_of(feature_config, location).features) {
    result.push_back(
        {.input = input, .limit = feature.table->vocabulary_size, .layer = feature.name});
    input += inputs_of(feature);
  }
  return result;
}

KerasForm TPUEmbedding::keras_form() { return {.is_of_keras = false}; }

}  // namespace tfrs::layers::embedding

SYSTOLIC_DEFINE_LAYER(tfrs::layers::embedding::TPUEmbedding)

}  // namespace systolic::inline v0
