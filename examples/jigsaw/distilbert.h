// DistilBERT for sequence classification as PyTorch's `transformers` writes it, with the same names
// in its state_dict (Sanh et al. 2019).
#pragma once

#include <systolic/torch_xla/torch_xla.h>

#include <cstdint>

namespace examples {

struct DistilBertConfig {
  int64_t vocab_size = 30522;
  int64_t max_position_embeddings = 512;
  int64_t dim = 768, hidden_dim = 3072;
  int64_t n_layers = 6, n_heads = 12;
  double dropout = 0.1, seq_classif_dropout = 0.2;
  int64_t num_labels = 1;
};

struct Embeddings : systolic::torch::nn::Module<Embeddings> {
  explicit Embeddings(const DistilBertConfig& config);
  // ids [batch, steps] to [batch, steps, dim].
  systolic::torch::Tensor forward(const systolic::torch::Tensor& ids) const;

  systolic::torch::nn::Embedding word_embeddings, position_embeddings;
  systolic::torch::nn::LayerNorm layer_norm;
  systolic::torch::nn::Dropout dropout;
};

struct SelfAttention : systolic::torch::nn::Module<SelfAttention> {
  explicit SelfAttention(const DistilBertConfig& config);
  // x [batch, steps, dim]; mask [batch, steps], pred: steps that are there.
  systolic::torch::Tensor forward(const systolic::torch::Tensor& x,
                                  const systolic::torch::Tensor& mask) const;

  int64_t heads;
  systolic::torch::nn::Linear q_lin, k_lin, v_lin, out_lin;
};

struct FeedForward : systolic::torch::nn::Module<FeedForward> {
  explicit FeedForward(const DistilBertConfig& config);
  systolic::torch::Tensor forward(const systolic::torch::Tensor& x) const;

  systolic::torch::nn::Linear lin1, lin2;
  systolic::torch::nn::Dropout dropout;
};

struct TransformerBlock : systolic::torch::nn::Module<TransformerBlock> {
  explicit TransformerBlock(const DistilBertConfig& config);
  systolic::torch::Tensor forward(const systolic::torch::Tensor& x,
                                  const systolic::torch::Tensor& mask) const;

  SelfAttention attention;
  systolic::torch::nn::LayerNorm sa_layer_norm;
  FeedForward ffn;
  systolic::torch::nn::LayerNorm output_layer_norm;
};

struct Transformer : systolic::torch::nn::Module<Transformer> {
  explicit Transformer(const DistilBertConfig& config);
  systolic::torch::Tensor forward(const systolic::torch::Tensor& x,
                                  const systolic::torch::Tensor& mask) const;

  systolic::torch::nn::ModuleList<TransformerBlock> layer;
};

struct DistilBertModel : systolic::torch::nn::Module<DistilBertModel> {
  explicit DistilBertModel(const DistilBertConfig& config);
  systolic::torch::Tensor forward(const systolic::torch::Tensor& ids,
                                  const systolic::torch::Tensor& mask) const;

  Embeddings embeddings;
  Transformer transformer;
};

// The first step's vector, two linear layers: logits [batch, num_labels].
struct JigsawModel : systolic::torch::nn::Module<JigsawModel> {
  explicit JigsawModel(const DistilBertConfig& config);
  systolic::torch::Tensor forward(const systolic::torch::Tensor& ids,
                                  const systolic::torch::Tensor& mask) const;

  DistilBertModel distilbert;
  systolic::torch::nn::Linear pre_classifier, classifier;
  systolic::torch::nn::Dropout dropout;
};

}  // namespace examples
