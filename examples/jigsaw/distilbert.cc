#include "examples/jigsaw/distilbert.h"

#include <systolic/systolic.h>

using namespace systolic;
namespace nn = torch::nn;

namespace examples {

constexpr double norm_eps = 1e-12;

Embeddings::Embeddings(const DistilBertConfig& config)
    : word_embeddings(register_module(
          "word_embeddings", nn::Embedding(config.vocab_size, config.dim, {.padding_idx = 0}))),
      position_embeddings(register_module(
          "position_embeddings", nn::Embedding(config.max_position_embeddings, config.dim))),
      layer_norm(register_module("LayerNorm", nn::LayerNorm(config.dim, {.eps = norm_eps}))),
      dropout(register_module("dropout", nn::Dropout(config.dropout))) {}

torch::Tensor Embeddings::forward(const torch::Tensor& ids) const {
  const torch::Tensor positions = range(ids.size(1));
  return dropout(layer_norm(torch::Tensor(word_embeddings(ids) + position_embeddings(positions))));
}

SelfAttention::SelfAttention(const DistilBertConfig& config)
    : heads(config.n_heads),
      q_lin(register_module("q_lin", nn::Linear(config.dim, config.dim))),
      k_lin(register_module("k_lin", nn::Linear(config.dim, config.dim))),
      v_lin(register_module("v_lin", nn::Linear(config.dim, config.dim))),
      out_lin(register_module("out_lin", nn::Linear(config.dim, config.dim))) {}

torch::Tensor SelfAttention::forward(const torch::Tensor& x, const torch::Tensor& mask) const {
  const int64_t batch = x.size(0), steps = x.size(1), dim = x.size(2);
  const auto in_heads = [&](const torch::Tensor& y) {
    return y.view({batch, steps, heads, dim / heads});
  };
  const torch::Tensor context = scaled_dot_product_attention(
      in_heads(q_lin(x)), in_heads(k_lin(x)), in_heads(v_lin(x)), {.mask = Tensor(mask)});
  return out_lin(context.view({batch, steps, dim}));
}

FeedForward::FeedForward(const DistilBertConfig& config)
    : lin1(register_module("lin1", nn::Linear(config.dim, config.hidden_dim))),
      lin2(register_module("lin2", nn::Linear(config.hidden_dim, config.dim))),
      dropout(register_module("dropout", nn::Dropout(config.dropout))) {}

torch::Tensor FeedForward::forward(const torch::Tensor& x) const {
  return dropout(lin2(torch::Tensor(gelu(lin1(x)))));
}

TransformerBlock::TransformerBlock(const DistilBertConfig& config)
    : attention(register_module("attention", SelfAttention(config))),
      sa_layer_norm(register_module("sa_layer_norm", nn::LayerNorm(config.dim, {.eps = norm_eps}))),
      ffn(register_module("ffn", FeedForward(config))),
      output_layer_norm(
          register_module("output_layer_norm", nn::LayerNorm(config.dim, {.eps = norm_eps}))) {}

torch::Tensor TransformerBlock::forward(const torch::Tensor& x, const torch::Tensor& mask) const {
  const torch::Tensor attended = sa_layer_norm(torch::Tensor(attention(x, mask) + x));
  return output_layer_norm(torch::Tensor(ffn(attended) + attended));
}

Transformer::Transformer(const DistilBertConfig& config) {
  for (int64_t i = 0; i < config.n_layers; ++i) layer.append(TransformerBlock(config));
  register_module("layer", layer);
}

torch::Tensor Transformer::forward(const torch::Tensor& x, const torch::Tensor& mask) const {
  torch::Tensor value = x;
  for (const TransformerBlock& block : layer) value = block(value, mask);
  return value;
}

DistilBertModel::DistilBertModel(const DistilBertConfig& config)
    : embeddings(register_module("embeddings", Embeddings(config))),
      transformer(register_module("transformer", Transformer(config))) {}

torch::Tensor DistilBertModel::forward(const torch::Tensor& ids, const torch::Tensor& mask) const {
  return transformer(embeddings(ids), mask);
}

JigsawModel::JigsawModel(const DistilBertConfig& config)
    : distilbert(register_module("distilbert", DistilBertModel(config))),
      pre_classifier(register_module("pre_classifier", nn::Linear(config.dim, config.dim))),
      classifier(register_module("classifier", nn::Linear(config.dim, config.num_labels))),
      dropout(register_module("dropout", nn::Dropout(config.seq_classif_dropout))) {}

torch::Tensor JigsawModel::forward(const torch::Tensor& ids, const torch::Tensor& mask) const {
  const torch::Tensor first = distilbert(ids, mask)[{all, 0}];
  return classifier(dropout(torch::relu(pre_classifier(first))));
}

}  // namespace examples
