// Tables of embeddings and the features that look them up (tf.tpu.experimental.embedding).
//
//   namespace embedding = tpu::experimental::embedding;
//   const embedding::TableConfig movies{.vocabulary_size = 2000, .dim = 32, .name = "movies"};
//   const std::vector<embedding::FeatureConfig> features{
//       {.table = movies, .name = "movie"}, {.table = movies, .name = "watched", .ragged = true}};
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"
#include "systolic/nn/config/required.h"
#include "systolic/nn/embedding/optimizers.h"
#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/initializers/variance_scaling.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

// How the vectors of a sample's ids become one: their sum; that divided by the sum of the weights;
// or by the root of the sum of their squares. Nothing for no ids: zeros.
struct CombinerNames {
  SYSTOLIC_NAMES(throw "combiner must be one of: sum mean sqrtn")
};
// One of these names, "sum", "mean" or "sqrtn"; another literal does not compile.
using Combiner = Choice<CombinerNames>;

// Copies of a TableConfig are the same table: each that is made has another one of these.
class TableIdentity {
 public:
  TableIdentity() : made_(std::make_shared<const char>()) {}
  TableIdentity(const TableIdentity&) = default;
  TableIdentity& operator=(const TableIdentity&) = default;
  friend bool operator==(const TableIdentity&, const TableIdentity&) = default;

 private:
  std::shared_ptr<const char> made_;
};

struct TableConfig {
  Required<int64_t> vocabulary_size;  // ids are in [0, vocabulary_size)
  Required<int64_t> dim;              // of each vector
  // Normal with a standard deviation of 1 / sqrt(dim), cut at two.
  Initializer initializer =
      VarianceScaling{.scale = 0.77374124, .mode = "fan_out", .distribution = "truncated_normal"};
  // None: of whatever the table is part of.
  std::optional<EmbeddingOptimizer> optimizer = {};
  Combiner combiner = "mean";
  std::string name = {};  // "table", numbered
  TableIdentity identity = {};
};

// One input: ids of a table, by sample.
//   dense:   [batch, ...] -> [batch, ..., dim], a vector for each id
//   ragged:  any number of ids for each sample, as padded_ids makes them of a RaggedTensor or a
//            SparseTensor: ids and weights, [batch, most] each. -> [batch, dim], combined, or with
//            max_sequence_length [batch, max_sequence_length, dim], in order, cut or zeros after
//            the last.
struct FeatureConfig {
  Required<TableConfig> table;
  int64_t max_sequence_length = 0;
  // Where false, ragged weights below 0 count as they are; else they are left out with their ids.
  bool validate_weights_and_indices = true;
  std::string name = {};  // "feature", numbered
  bool ragged = false;
};

// As data (table_config_values.h): {"tables": [...], "features": [...]}.
Config to_config(const std::vector<FeatureConfig>& features);
void from_config(const Config& config, std::vector<FeatureConfig>& features);

// A table and its name among others, each once, and which of them each feature looks up.
struct Tables {
  std::vector<TableConfig> tables;
  std::vector<FeatureConfig> features;  // all named
  std::vector<size_t> table_of;         // by feature
};
// InvalidArgument for two tables or features of one name, sizes below 1, or no features.
Tables tables_of(const std::vector<FeatureConfig>& features, SourceLocation location);

// Rows that a table has on the device: those of the ids, one that padding looks up, and as many as
// make their number a multiple of 8, so that they lie evenly on the cores.
int64_t table_rows(int64_t vocabulary_size);

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
