// One vector for a text (sentence-transformers): texts of like meaning have like vectors.
//
//   const SentenceTransformer model("all-MiniLM-L6-v2/");
//   const Literal vectors = model.encode({"The boat sails.", "A ship is at sea."});  // [2, 384]
//   std::cout << cos_sim(vectors, vectors).number_at(1) << "\n";
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "systolic/transformers/pretrained_model.h"

namespace systolic::inline v0 {

// What becomes of the vectors of a text's tokens, those that pad left out.
//   SentencePooling::mean
enum class SentencePooling {
  cls,            // the first token's vector
  max,            // the largest of each component
  mean,           // the mean
  mean_sqrt_len,  // the sum, divided by the root of the number of tokens
};

// Settings of SentenceTransformer::encode().
//   model.encode(texts, SentenceOptions{.batch_size = 64});
struct SentenceOptions {
  int64_t batch_size = 32;            // texts that are computed at once
  bool normalize_embeddings = false;  // vectors get length 1, whatever the folder says
};

// A model without a head, its tokenizer, and how texts' vectors come of it.
//   SentenceTransformer model("all-MiniLM-L6-v2/");
class SentenceTransformer {
 public:
  // A folder as sentence-transformers writes it: modules.json lists what computes: a Transformer, a
  // Pooling (whose config.json says which; several are put side by side), and perhaps a Normalize.
  // A folder without modules.json has the mean of its tokens' vectors. sentence_bert_config.json
  // says how many tokens a text has at most. Unimplemented, naming them, for other modules and
  // poolings.
  explicit SentenceTransformer(const std::string& folder,
                               SourceLocation location = SourceLocation::current());
  SentenceTransformer(PretrainedModel model, Tokenizer tokenizer,
                      std::vector<SentencePooling> poolings = {SentencePooling::mean},
                      bool normalizes = false);

  // f32 [texts, width]; longer texts are cut.
  Literal encode(std::span<const std::string> texts, const SentenceOptions& options = {},
                 SourceLocation location = SourceLocation::current()) const;
  Literal encode(std::initializer_list<std::string> texts, const SentenceOptions& options = {},
                 SourceLocation location = SourceLocation::current()) const {
    return encode(std::span(texts.begin(), texts.size()), options, location);
  }

  // A Model to train by a loss of sentence_losses.h: {input_ids, attention_mask} i32 [batch, texts,
  // tokens], several texts a row, -> their vectors, f32 [batch, texts, width]. Its weights are this
  // one's, which encode() uses afterwards.
  Model training_model(int64_t texts, SourceLocation location = SourceLocation::current()) const;
  // What it takes, of the first texts of all rows, the second ones, ...:
  //   training.fit(model.training_inputs({questions, answers}), labels);
  Example training_inputs(const std::vector<std::vector<std::string>>& columns,
                          SourceLocation location = SourceLocation::current()) const;

  const PretrainedModel& model() const { return model_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  const std::vector<SentencePooling>& poolings() const { return poolings_; }

 private:
  std::vector<float> pooled(const Literal& states, const Literal& mask) const;

  PretrainedModel model_;
  Tokenizer tokenizer_;
  std::vector<SentencePooling> poolings_;
  bool normalizes_ = false;
  int64_t max_seq_length_ = 0;  // 0: the tokenizer's
};

// The cosine of the angle between each row of a, f32 [n, width], and each of b [m, width]: [n, m];
// 0 for a vector of zeros.
//   const Literal similarity = cos_sim(model.encode(questions), model.encode(answers));
Literal cos_sim(const Literal& a, const Literal& b,
                SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
