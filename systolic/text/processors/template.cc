// Templates: "[CLS] $A [SEP] $B:1 [SEP]:1".
#include <algorithm>
#include <unordered_map>

#include "systolic/base/error.h"
#include "systolic/text/processors/make.h"

namespace systolic::inline v0 {
namespace text {
namespace {

struct SpecialToken {
  std::vector<int32_t> ids;
  std::vector<std::string> tokens;
};

// One of the texts, or a special token.
struct TemplatePiece {
  int sequence = -1;
  std::string special = {};
  int32_t type_id = 0;
};
using Template = std::vector<TemplatePiece>;

TemplatePiece piece_from(const JsonView& json) {
  if (json.has("Sequence")) {
    const JsonView sequence = json.at("Sequence");
    const std::string name = sequence.at("id").string();
    if (name != "A" && name != "B") sequence.at("id").raise_not("A or B");
    return {name == "A" ? 0 : 1, "", sequence.at("type_id").id()};
  }
  const JsonView special = json.at("SpecialToken");
  return {-1, special.at("id").string(), special.at("type_id").id()};
}

class TemplateProcessing : public PostProcessor {
 public:
  explicit TemplateProcessing(const JsonView& json) {
    json.at("special_tokens").for_each_member([&](const std::string& name, const JsonView& token) {
      SpecialToken& special = specials_[name];
      const JsonView ids = token.at("ids"), tokens = token.at("tokens");
      for (size_t i = 0; i < ids.size(); ++i) special.ids.push_back(ids[i].id());
      for (size_t i = 0; i < tokens.size(); ++i) special.tokens.push_back(tokens[i].string());
      if (special.ids.size() != special.tokens.size()) {
        token.raise_not("as many ids as tokens");
      }
    });
    read(json.at("single"), single_, 1);
    read(json.at("pair"), pair_, 2);
  }

  size_t added_tokens(bool pair) const override { return count(pair ? pair_ : single_); }

  std::vector<Encoding> process(std::vector<Encoding> encodings,
                                bool add_special_tokens) const override {
    std::vector<Encoding> result;
    for (const TemplatePiece& piece : encodings.size() == 2 ? pair_ : single_) {
      if (piece.sequence >= 0) {
        Encoding& encoding = encodings[static_cast<size_t>(piece.sequence)];
        encoding.set_type_ids(piece.type_id);
        encoding.set_sequence(piece.sequence);
        result.push_back(encoding);
      } else if (add_special_tokens) {
        result.push_back(special_encoding(specials_.at(piece.special), piece.type_id));
      }
    }
    return result;
  }

 private:
  void read(const JsonView& json, Template& pieces, int texts) {
    constexpr size_t most = 256;
    if (json.size() > most) json.raise_not(str("at most ", most, " pieces"));
    for (size_t i = 0; i < json.size(); ++i) {
      pieces.push_back(piece_from(json[i]));
      const TemplatePiece& piece = pieces.back();
      if (piece.sequence >= texts) json[i].raise_not("sequence A, where there is one text");
      if (piece.sequence < 0 && specials_.count(piece.special) == 0) {
        json[i].raise_not("one of special_tokens");
      }
    }
  }

  size_t count(const Template& pieces) const {
    size_t tokens = 0;
    for (const TemplatePiece& piece : pieces) {
      if (piece.sequence < 0) tokens += specials_.at(piece.special).ids.size();
    }
    return tokens;
  }

  static Encoding special_encoding(const SpecialToken& special, int32_t type_id) {
    Encoding encoding;
    for (size_t i = 0; i < special.ids.size(); ++i) {
      append_special(encoding, special.ids[i], special.tokens[i], type_id);
    }
    return encoding;
  }

  Template single_, pair_;
  std::unordered_map<std::string, SpecialToken> specials_;
};

}  // namespace

void append_special(Encoding& encoding, int32_t id, const std::string& token, int32_t type_id) {
  encoding.ids.push_back(id);
  encoding.type_ids.push_back(type_id);
  encoding.tokens.push_back(token);
  encoding.offsets.push_back({});
  encoding.word_ids.push_back(-1);
  encoding.special_tokens_mask.push_back(1);
  encoding.attention_mask.push_back(1);
}

std::unique_ptr<PostProcessor> make_template(const JsonView& json) {
  return std::make_unique<TemplateProcessing>(json);
}

}  // namespace text
}  // namespace systolic::inline v0
