// A token for each whole piece that the vocabulary has.
#pragma once

#include "systolic/text/models/model.h"

namespace systolic::inline v0 {
namespace text {

class WordLevel : public Model {
 public:
  WordLevel(Vocabulary vocabulary, std::string unk_token)
      : Model(std::move(vocabulary)), unk_token_(std::move(unk_token)) {}
  static std::unique_ptr<WordLevel> from_json(const JsonView& json);
  std::string_view type() const override { return "WordLevel"; }
  void tokenize(std::string_view piece, std::vector<Token>& tokens) const override;
  std::string to_json() const override;
  const std::string& unk_token() const { return unk_token_; }

 private:
  std::string unk_token_;
};

}  // namespace text
}  // namespace systolic::inline v0
