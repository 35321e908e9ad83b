// The tables of embeddings by themselves, for training loops of one's own
// (tf.tpu.experimental.embedding.TPUEmbedding). A handle: copies are the same tables.
//
//   namespace embedding = tpu::experimental::embedding;
//   embedding::TPUEmbedding tables(features, embedding::Adagrad{.learning_rate = 0.05});
//   tables.enqueue(batch);                           // ids by feature, on the host
//   GradientTape tape;
//   const std::vector<Tensor> activations = tables.dequeue();
//   for (const Tensor& one : activations) tape.watch(one);
//   const Tensor loss = loss_of(activations);
//   tables.apply_gradients(tape.gradient(loss, activations));
//
// Batches are dequeued in the order in which they were enqueued, and gradients applied in the order
// in which training batches were dequeued. Each of these out of turn is a FailedPrecondition.
// Inside strategy.run and function, give the batch as Tensors.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/nn/embedding/config.h"
#include "systolic/nn/embedding/lookup.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

struct TPUEmbeddingOptions {
  // Batches are looked up when they are enqueued: with the next one enqueued before this one's
  // gradients are applied, its activations are one step old, as when a TPU does both at once.
  bool pipeline_execution_with_tensor_core = false;
};

struct EnqueueOptions {
  bool training = true;  // whether gradients follow
};

class TPUEmbedding {
 public:
  // Tables that name no optimizer have `optimizer`; one without either cannot be trained.
  explicit TPUEmbedding(const std::vector<FeatureConfig>& feature_config,
                        const std::optional<EmbeddingOptimizer>& optimizer = {},
                        TPUEmbeddingOptions options = {},
                        SourceLocation location = SourceLocation::current());

  // Makes the tables; else the first enqueue does.
  void build() const;
  bool built() const;

  // An element of a dataset with the ids of each feature under its name: dense, or for ragged ones
  // a RaggedTensor or SparseTensor, with weights under "NAME_weights"; or what padded_ids gives.
  // Bad ids are InvalidArguments that name feature and row. The order of the features is that of
  // feature_config.
  void enqueue(const Example& features, EnqueueOptions options = {},
               SourceLocation location = SourceLocation::current()) const;
  void enqueue(std::vector<FeatureInput> features, EnqueueOptions options = {},
               SourceLocation location = SourceLocation::current()) const;
  // The activations of the next batch, one for each feature.
  std::vector<Tensor> dequeue(SourceLocation location = SourceLocation::current()) const;
  // Moves the rows that the oldest dequeued training batch looked up: one gradient for each
  // activation, of its shape.
  void apply_gradients(const std::vector<Tensor>& gradients,
                       SourceLocation location = SourceLocation::current()) const;

  // By name: [table_rows(vocabulary_size), dim].
  std::vector<std::pair<std::string, Variable>> embedding_tables() const;
  // Those, and under "table/slot" what the optimizers keep: what a checkpoint holds.
  std::vector<std::pair<std::string, Variable>> named_variables() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Tables that are only looked up (tf.tpu.experimental.embedding.TPUEmbeddingForServing); they need
// no optimizer.
class TPUEmbeddingForServing {
 public:
  explicit TPUEmbeddingForServing(const std::vector<FeatureConfig>& feature_config,
                                  SourceLocation location = SourceLocation::current());
  // The same tables as those of `trained`, which go on changing as it trains.
  explicit TPUEmbeddingForServing(TPUEmbedding trained) : tables_(std::move(trained)) {}

  // As enqueue and dequeue of TPUEmbedding.
  std::vector<Tensor> embedding_lookup(const Example& features,
                                       SourceLocation location = SourceLocation::current()) const;
  std::vector<std::pair<std::string, Variable>> embedding_tables() const {
    return tables_.embedding_tables();
  }

 private:
  TPUEmbedding tables_;
};

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
