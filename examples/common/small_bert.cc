#include "examples/common/small_bert.h"

#include "systolic/text/tokenizer.h"
#include "systolic/transformers/auto_model.h"

namespace examples {
namespace {

using namespace systolic;

// As BERT's, except the vocabulary, which training fills.
constexpr const char* blank_tokenizer = R"({
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                 "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
  "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": {}}
})";

}  // namespace

void make_small_bert(const std::string& folder, const std::vector<std::string>& texts) {
  Tokenizer tokenizer = Tokenizer::from_json(blank_tokenizer);
  TrainOptions training{.vocab_size = 2000};
  for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    training.special_tokens.push_back({.content = token, .special = true});
  tokenizer.train(texts, training);
  const PretrainedModel bert =
      BertModel::from_config({.vocab_size = static_cast<int64_t>(tokenizer.vocab_size()),
                              .hidden_size = 64,
                              .num_hidden_layers = 2,
                              .num_attention_heads = 4,
                              .intermediate_size = 128,
                              .max_position_embeddings = 128});
  bert.save_pretrained(folder);
  tokenizer.save(folder + "/tokenizer.json");
}

}  // namespace examples
