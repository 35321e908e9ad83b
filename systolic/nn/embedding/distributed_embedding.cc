#include "systolic/nn/embedding/distributed_embedding.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/embedding/lookup.h"
#include "systolic/nn/embedding/table_weights.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace keras_rs::layers {
namespace {

namespace embedding = tpu::experimental::embedding;

embedding::TableConfig table_of(const TableConfig& table) {
  return {.vocabulary_size = table.vocabulary_size.get(),
          .dim = table.embedding_dim.get(),
          .initializer = table.initializer,
          .optimizer = table.optimizer,
          .combiner = table.combiner,
          .name = table.name};
}

bool same_table(const TableConfig& a, const TableConfig& b) {
  return a.vocabulary_size == b.vocabulary_size && a.embedding_dim == b.embedding_dim &&
         a.combiner == b.combiner && a.initializer == b.initializer;
}

// Ids of one or two axes, and weights of their shape or none.
Tensor combined_ids(const embedding::FeatureConfig& feature, const Tensor& table, Tensor ids,
                    const Tensor* weights) {
  if (ids.rank() == 1) {
    if (weights == nullptr) return gather(table, ids);
    ids = expand_dims(ids, 1);
  }
  check_rank(ids, 2, "[batch, ids]");
  const Tensor ones = fill(ids.shape(), 1, table.dtype());
  const Tensor used =
      weights == nullptr ? ones : cast(reshape(*weights, ids.shape()), table.dtype());
  return embedding::combined(feature.table->combiner, gather(table, ids), used);
}

}  // namespace

std::vector<embedding::FeatureConfig> internal::with_tables(
    const std::vector<FeatureConfig>& features, SourceLocation location) {
  std::vector<embedding::FeatureConfig> result;
  for (size_t i = 0; i < features.size(); ++i) {
    const TableConfig& table = features[i].table;
    embedding::TableConfig known = table_of(table);
    for (size_t k = 0; k < i; ++k) {
      const TableConfig& other = features[k].table;
      if (other.name.get() != table.name.get()) continue;
      if (!same_table(other, table)) {
        raise<InvalidArgument>({.what = str("two tables are named '", table.name.get(), "'"),
                                .wanted = "features of one table with the same TableConfig",
                                .location = location});
      }
      known = result[k].table;
      break;
    }
    result.push_back({.table = known, .name = features[i].name});
  }
  return result;
}

std::vector<Tensor> DistributedEmbedding::call(const std::vector<Tensor>& xs,
                                               CallContext& context) const {
  const embedding::Tables tables =
      embedding::tables_of(internal::with_tables(feature_configs, location), location);
  const size_t count = tables.features.size();
  if (xs.size() != count && xs.size() != 2 * count) {
    raise<InvalidArgument>({.what = str("DistributedEmbedding is given ", xs.size(), " inputs"),
                            .wanted = str(count, ", the ids of each feature, or ", 2 * count,
                                          ", with the weights of each after them"),
                            .location = location});
  }
  const std::vector<Tensor> values =
      embedding::table_values(tables, std::nullopt, context, location);
  std::vector<Tensor> result;
  for (size_t i = 0; i < count; ++i) {
    const embedding::FeatureConfig& feature = tables.features[i];
    const std::string what = str("feature '", feature.name, "'");
    const ErrorScope scope(what, location);
    context.check_integers_below(xs[i], feature.table->vocabulary_size);
    const Tensor* weights = xs.size() > count ? &xs[count + i] : nullptr;
    result.push_back(
        cast(combined_ids(feature, values[tables.table_of[i]], cast(xs[i], DType::i32), weights),
             context.compute_dtype()));
  }
  return result;
}

std::vector<LookupLimit> DistributedEmbedding::lookups() const {
  std::vector<LookupLimit> result;
  for (size_t i = 0; i < feature_configs.size(); ++i) {
    const FeatureConfig& feature = feature_configs[i];
    result.push_back({.input = i, .limit = feature.table->vocabulary_size, .layer = feature.name});
  }
  return result;
}

KerasForm DistributedEmbedding::keras_form() { return {.is_of_keras = false}; }

}  // namespace keras_rs::layers

SYSTOLIC_DEFINE_LAYER(keras_rs::layers::DistributedEmbedding)

}  // namespace systolic::inline v0
