// BERT's and RoBERTa's special tokens: [CLS] A [SEP] B [SEP], and <s> A </s></s> B </s>.
#include <algorithm>

#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/processors/make.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

struct NamedToken {
  std::string token;
  int32_t id;
};

NamedToken named_token(const JsonView& json) { return {json[0].string(), json[1].id()}; }

// `encoding` between special tokens, `before` or nullptr and `after`, which belong to no text.
Encoding between(const NamedToken* before, Encoding encoding, const NamedToken& after,
                 int32_t type_id, int sequence) {
  Encoding whole;
  if (before != nullptr) append_special(whole, before->id, before->token, type_id);
  std::vector<Encoding> overflowing = std::move(encoding.overflowing);
  encoding.overflowing.clear();
  encoding.sequences = {};
  encoding.set_sequence(sequence);
  whole.append(encoding);
  append_special(whole, after.id, after.token, type_id);
  whole.special_tokens_mask.assign(whole.size(), 0);
  if (before != nullptr) whole.special_tokens_mask.front() = 1;
  whole.special_tokens_mask.back() = 1;
  whole.attention_mask.assign(whole.size(), 1);
  for (Encoding& part : overflowing) {
    part.overflowing.clear();
    whole.overflowing.push_back(between(before, std::move(part), after, type_id, sequence));
  }
  return whole;
}

class BertProcessing : public PostProcessor {
 public:
  explicit BertProcessing(const JsonView& json)
      : sep_(named_token(json.at("sep"))), cls_(named_token(json.at("cls"))) {}

  size_t added_tokens(bool pair) const override { return pair ? 3 : 2; }

  std::vector<Encoding> process(std::vector<Encoding> encodings,
                                bool add_special_tokens) const override {
    if (!add_special_tokens) return encodings;
    encodings[0] = between(&cls_, std::move(encodings[0]), sep_, 0, 0);
    if (encodings.size() > 1) {
      encodings[1] = between(nullptr, std::move(encodings[1]), sep_, 1, 1);
    }
    return encodings;
  }

 private:
  NamedToken sep_, cls_;
};

class RobertaProcessing : public PostProcessor {
 public:
  explicit RobertaProcessing(const JsonView& json)
      : sep_(named_token(json.at("sep"))),
        cls_(named_token(json.at("cls"))),
        trim_(json.at("trim_offsets").boolean()),
        add_prefix_space_(json.at("add_prefix_space").boolean()) {}

  size_t added_tokens(bool pair) const override { return pair ? 4 : 2; }
  bool keeps_offsets() const override { return !trim_; }

  std::vector<Encoding> process(std::vector<Encoding> encodings,
                                bool add_special_tokens) const override {
    for (Encoding& encoding : encodings) {
      if (trim_) trim_offsets(encoding, add_prefix_space_);
      encoding.set_type_ids(0);
      if (!add_special_tokens) continue;
      for (Encoding& part : encoding.overflowing) part.set_type_ids(0);
    }
    if (!add_special_tokens) return encodings;
    encodings[0] = between(&cls_, std::move(encodings[0]), sep_, 0, 0);
    if (encodings.size() > 1) encodings[1] = between(&sep_, std::move(encodings[1]), sep_, 0, 1);
    return encodings;
  }

 private:
  NamedToken sep_, cls_;
  bool trim_, add_prefix_space_;
};

class ByteLevelProcessing : public PostProcessor {
 public:
  explicit ByteLevelProcessing(const JsonView& json)
      : trim_(json.at("trim_offsets").boolean()),
        add_prefix_space_(json.at("add_prefix_space").boolean()) {}

  size_t added_tokens(bool) const override { return 0; }
  bool keeps_offsets() const override { return !trim_; }

  std::vector<Encoding> process(std::vector<Encoding> encodings, bool) const override {
    for (size_t i = 0; i < encodings.size(); ++i) {
      if (trim_) trim_offsets(encodings[i], add_prefix_space_);
      encodings[i].set_sequence(static_cast<int>(i));
    }
    return encodings;
  }

 private:
  bool trim_, add_prefix_space_;
};

bool is_space(char32_t c) { return c == space_character || has(c, whitespace); }

void trim(const std::string& token, bool first, bool add_prefix_space, Offsets& offsets) {
  uint32_t leading = 0, trailing = 0;
  for (size_t at = 0; at < token.size() && is_space(character_at(token, at)); ++leading) {
    at += utf8_size(static_cast<unsigned char>(token[at]));
  }
  for (size_t end = token.size(); end > 0 && is_space(character_before(token, end));) ++trailing;
  if (leading > 0) {
    if ((first || offsets.begin == 0) && add_prefix_space && leading == 1) leading = 0;
    offsets.begin = std::min(offsets.begin + leading, offsets.end);
  }
  if (trailing > 0 && offsets.end >= trailing) {
    offsets.end = std::max(offsets.end - trailing, offsets.begin);
  }
}

}  // namespace

void trim_offsets(Encoding& encoding, bool add_prefix_space) {
  for (size_t i = 0; i < encoding.offsets.size(); ++i) {
    trim(encoding.tokens[i], i == 0, add_prefix_space, encoding.offsets[i]);
  }
  for (Encoding& part : encoding.overflowing) trim_offsets(part, add_prefix_space);
}

std::unique_ptr<PostProcessor> make_bert_processing(const JsonView& json) {
  return std::make_unique<BertProcessing>(json);
}
std::unique_ptr<PostProcessor> make_roberta_processing(const JsonView& json) {
  return std::make_unique<RobertaProcessing>(json);
}
std::unique_ptr<PostProcessor> make_byte_level_processing(const JsonView& json) {
  return std::make_unique<ByteLevelProcessing>(json);
}

}  // namespace text
}  // namespace systolic::inline v0
