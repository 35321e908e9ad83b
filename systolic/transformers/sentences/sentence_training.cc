// How a SentenceTransformer is trained: several texts of a row through one encoder.
#include "systolic/base/error.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/sentences/sentence_transformer.h"

namespace systolic::inline v0 {
namespace {

constexpr double lowest = -1e30;  // below all numbers of vectors

// x [rows, tokens, width], shown [rows, tokens, 1] -> [rows, width].
Tensor pooled_vectors(SentencePooling pooling, const Tensor& x, const Tensor& shown) {
  if (pooling == SentencePooling::cls) return x[{all, 0}];
  if (pooling == SentencePooling::max) return max(where(shown != 0, x, lowest), {.axis = 1});
  const Tensor total = sum(x * shown, {.axis = 1}), count = maximum(sum(shown, {.axis = 1}), 1.0);
  return total / (pooling == SentencePooling::mean ? count : sqrt(count));
}

// {input_ids, attention_mask} [batch, texts, tokens] -> [batch, texts, width].
struct VectorsOfTexts {
  static constexpr const char* kind = "VectorsOfTexts";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Layer encoder;
  std::vector<SentencePooling> poolings;
  bool normalizes = false;

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const {
    const Shape& shape = xs.at(0).shape();
    const Shape flat{shape[0] * shape[1], shape[2]};
    const Tensor mask = reshape(xs.at(1), flat);
    const std::vector<Tensor> outputs = context.call(encoder, {reshape(xs[0], flat), mask}, false);
    const Tensor states = cast(outputs.at(0), DType::f32);
    const Tensor shown = expand_dims(cast(mask, DType::f32), 2);
    std::vector<Tensor> parts;
    for (const SentencePooling one : poolings) parts.push_back(pooled_vectors(one, states, shown));
    Tensor vectors = concat(parts, 1);
    if (normalizes)
      vectors = vectors / sqrt(maximum(sum(square(vectors), {.axis = 1, .keepdims = true}), 1e-24));
    return reshape(vectors, {shape[0], shape[1], vectors.shape()[1]});
  }
};

}  // namespace

Model SentenceTransformer::training_model(int64_t texts, SourceLocation location) const {
  if (texts < 1)
    raise<InvalidArgument>({.what = str("training_model of ", texts, " texts a row"),
                            .wanted = "1 or more",
                            .location = location});
  const auto integers = [&](const char* name) {
    return input({.shape = Shape{texts, -1}, .dtype = DType::i32, .name = name}, location);
  };
  const std::vector<Symbol> inputs{integers("input_ids"), integers("attention_mask")};
  const Layer vectors = VectorsOfTexts{
      .encoder = Layer(model_.network()), .poolings = poolings_, .normalizes = normalizes_};
  return Model(inputs, vectors(inputs));
}

Example SentenceTransformer::training_inputs(const std::vector<std::vector<std::string>>& columns,
                                             SourceLocation location) const {
  const size_t rows = columns.empty() ? 0 : columns[0].size();
  std::vector<std::string> all_texts;
  for (size_t row = 0; row < rows; ++row) {
    for (const std::vector<std::string>& column : columns) {
      if (column.size() == rows) {
        all_texts.push_back(column[row]);
        continue;
      }
      raise<InvalidArgument>(
          {.what = str("training_inputs: columns of ", rows, " and ", column.size(), " texts"),
           .wanted = "as many in each",
           .location = location});
    }
  }
  if (all_texts.empty())
    raise<InvalidArgument>(
        {.what = "training_inputs without texts", .wanted = "a row or more", .location = location});
  const BatchEncoding encoded = tokenizer_(
      all_texts,
      {.padding = true, .truncation = true, .max_length = max_seq_length_, .pad_to_multiple_of = 8},
      location);
  const Shape shape{static_cast<int64_t>(rows), static_cast<int64_t>(columns.size()),
                    encoded.input_ids.shape()[1]};
  return Example{{"input_ids", encoded.input_ids.reshape(shape)},
                 {"attention_mask", encoded.attention_mask.reshape(shape)}};
}

}  // namespace systolic::inline v0
