#include "systolic/text/models/word_level.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<WordLevel> WordLevel::from_json(const JsonView& json) {
  return std::make_unique<WordLevel>(Vocabulary::from_json(json.at("vocab")),
                                     json.at("unk_token").string());
}

void WordLevel::tokenize(std::string_view piece, std::vector<Token>& tokens) const {
  auto id = vocabulary_.id_of(piece);
  const bool known = id.has_value();
  if (!known) id = vocabulary_.id_of(unk_token_);
  if (!id) {
    raise<InvalidArgument>({.what = str("the vocabulary has no unknown token '", unk_token_, "'"),
                            .hint = "set unk_token to a token of the vocabulary"});
  }
  tokens.push_back({*id, {0, static_cast<uint32_t>(piece.size())}});
}

std::string WordLevel::to_json() const {
  return str(R"({"type":"WordLevel","vocab":)", vocabulary_.to_json(), R"(,"unk_token":)",
             json_quoted(unk_token_), "}");
}

}  // namespace text
}  // namespace systolic::inline v0
