#include "systolic/transformers/sentences/sentence_transformer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/sentences/sentence_modules.h"

namespace systolic::inline v0 {
namespace {

using Row = std::span<const float>;

// One pooling of the vectors of a text's tokens.
std::vector<float> pooled_by(SentencePooling pooling, const std::vector<Row>& tokens) {
  if (pooling == SentencePooling::cls) return {tokens[0].begin(), tokens[0].end()};
  const bool is_max = pooling == SentencePooling::max;
  std::vector<float> result(tokens[0].size(), is_max ? -std::numeric_limits<float>::max() : 0.0f);
  for (const Row& token : tokens) {
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = is_max ? std::max(result[i], token[i]) : result[i] + token[i];
  }
  if (is_max) return result;
  const auto count = static_cast<float>(tokens.size());
  for (float& one : result) one /= pooling == SentencePooling::mean ? count : std::sqrt(count);
  return result;
}

double length_of(Row row) {
  double sum = 0;
  for (const float one : row) sum += double{one} * one;
  return std::sqrt(sum);
}

void normalize(std::vector<float>& row) {
  const double length = std::max(length_of(row), 1e-12);
  for (float& one : row) one = static_cast<float>(one / length);
}

// Texts of like length are computed together.
std::vector<size_t> by_length(std::span<const std::string> texts) {
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return texts[i].size(); });
  return order;
}

}  // namespace

SentenceTransformer::SentenceTransformer(PretrainedModel model, Tokenizer tokenizer,
                                         std::vector<SentencePooling> poolings, bool normalizes)
    : model_(std::move(model)),
      tokenizer_(std::move(tokenizer)),
      poolings_(std::move(poolings)),
      normalizes_(normalizes) {}

SentenceTransformer::SentenceTransformer(const std::string& folder, SourceLocation location)
    : SentenceTransformer([&] {
        const SentenceModules modules = read_sentence_modules(folder, location);
        SentenceTransformer made(
            PretrainedModel::from_pretrained(modules.transformer, Task::features, {}, location),
            AutoTokenizer::from_pretrained(modules.transformer, location), modules.poolings,
            modules.normalizes);
        made.max_seq_length_ = modules.max_seq_length;
        return made;
      }()) {}

// The poolings of each row, one after the other.
std::vector<float> SentenceTransformer::pooled(const Literal& states, const Literal& mask) const {
  const int64_t rows = states.shape()[0], tokens = states.shape()[1];
  const auto width = static_cast<size_t>(states.shape()[2]);
  std::vector<float> result;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<Row> kept;
    for (int64_t i = row * tokens; i < (row + 1) * tokens; ++i) {
      if (mask.integer_at(i) != 0)
        kept.push_back(states.data<float>().subspan(static_cast<size_t>(i) * width, width));
    }
    if (kept.empty()) kept.push_back(states.data<float>().subspan(0, width));
    for (const SentencePooling pooling : poolings_) {
      const std::vector<float> one = pooled_by(pooling, kept);
      result.insert(result.end(), one.begin(), one.end());
    }
  }
  return result;
}

Literal SentenceTransformer::encode(std::span<const std::string> texts,
                                    const SentenceOptions& options, SourceLocation location) const {
  if (options.batch_size < 1)
    raise<InvalidArgument>({.what = str("encode by batches of ", options.batch_size),
                            .wanted = "1 text or more",
                            .location = location});
  std::vector<std::vector<float>> vectors(texts.size());
  const std::vector<size_t> order = by_length(texts);
  const auto step = static_cast<size_t>(options.batch_size);
  for (size_t from = 0; from < order.size(); from += step) {
    const auto batch = std::span(order).subspan(from, std::min(step, order.size() - from));
    std::vector<std::string> chosen;
    for (const size_t i : batch) chosen.push_back(texts[i]);
    const BatchEncoding encoded = tokenizer_(chosen,
                                             {.padding = true,
                                              .truncation = true,
                                              .max_length = max_seq_length_,
                                              .pad_to_multiple_of = 8},
                                             location);
    const Example outputs = model_.predict_outputs(encoded, {}, location);
    const std::vector<float> rows =
        pooled(outputs["last_hidden_state"].convert(DType::f32), encoded.attention_mask);
    const size_t width = rows.size() / batch.size();
    for (size_t i = 0; i < batch.size(); ++i) {
      std::vector<float>& vector = vectors[batch[i]];
      vector.assign(rows.begin() + static_cast<std::ptrdiff_t>(i * width),
                    rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
      if (normalizes_ || options.normalize_embeddings) normalize(vector);
    }
  }
  std::vector<float> all;
  for (const auto& one : vectors) all.insert(all.end(), one.begin(), one.end());
  const auto count = static_cast<int64_t>(texts.size());
  return Literal::from(all, {count, count == 0 ? 0 : static_cast<int64_t>(all.size()) / count});
}

Literal cos_sim(const Literal& a, const Literal& b, SourceLocation location) {
  if (a.shape().rank() != 2 || b.shape().rank() != 2 || a.shape()[1] != b.shape()[1])
    raise<InvalidArgument>({.what = str("cos_sim of ", a.shape(), " and ", b.shape()),
                            .wanted = "[n, width] and [m, width]",
                            .location = location});
  const Literal x = a.convert(DType::f32), y = b.convert(DType::f32);
  const auto width = static_cast<size_t>(a.shape()[1]);
  std::vector<float> result;
  for (int64_t i = 0; i < a.shape()[0]; ++i) {
    const Row left = x.data<float>().subspan(static_cast<size_t>(i) * width, width);
    for (int64_t k = 0; k < b.shape()[0]; ++k) {
      const Row right = y.data<float>().subspan(static_cast<size_t>(k) * width, width);
      const double product = std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
      const double lengths = length_of(left) * length_of(right);
      result.push_back(static_cast<float>(lengths > 0 ? product / lengths : 0));
    }
  }
  return Literal::from(result, {a.shape()[0], b.shape()[0]});
}

}  // namespace systolic::inline v0
