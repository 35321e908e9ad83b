// Which tokens are special, according to the files next to a vocabulary or a tokenizer.json, as
// `transformers` 5 reads them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/text/added_tokens.h"
#include "systolic/text/pieces/json_view.h"

namespace systolic::inline v0 {
namespace text {

// The files next to a vocabulary. Each is an object, an empty one where there is no file.
struct OlderFolder {
  JsonView config;          // tokenizer_config.json
  JsonView special_tokens;  // special_tokens_map.json
  JsonView added_tokens;    // added_tokens.json: the ids of what was added
  std::string
      tokenizer_class;     // as `transformers` names it, without "Fast"; "" where no file tells
  bool is_silent = false;  // no file names a class or a model, not even an unknown one
};

inline constexpr std::array<const char*, 7> token_roles = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

// A class's own tokens, in the order of token_roles, nullptr where it has none.
struct UsualTokens {
  std::array<const char*, 7> tokens = {};
  const char* model = "";     // the type of it
  bool has_type_ids = false;  // texts are given as token_type_ids too
  // The forms of template_json(); nullptr where its post-processor is another.
  const char *single = nullptr, *pair = nullptr;
  bool mask_takes_space = false;  // the whitespace before it
  bool pads_left = false;         // where no file says at which side
};
// nullptr for a class that is not known here.
const UsualTokens* usual_tokens(std::string_view tokenizer_class);
// The folder's class; none where it names one that only says that there is a tokenizer.json.
const UsualTokens& usual_tokens(const OlderFolder& folder);

// A token that a file names: its text, or an object with "content" and flags.
AddedToken token_from(const JsonView& json);
// The token that the folder names for a role.
std::optional<AddedToken> token_for(const OlderFolder& folder, const char* role);

class SpecialTokens {
 public:
  // `known`: the tokens that a tokenizer.json adds already.
  SpecialTokens(const OlderFolder& folder, const UsualTokens& usual, AddedTokens known = {});
  // The text of a role's token, "cls_token"; "" where there is none.
  const std::string& operator[](std::string_view role) const;

  // Adds all of them to a vocabulary, and those that the folder and the model, which has
  // `of_model`, have besides. Tokens that it lacks get ids after its own. Returns how many are new
  // or changed.
  size_t add_to(const Vocabulary& vocabulary, const std::vector<AddedToken>& of_model = {},
                const Normalizer* normalizer = nullptr);
  // After that: ["[CLS]",101], the member "added_tokens" of tokenizer.json, and the tokens.
  std::string pair(std::string_view role) const;
  std::string json() const { return added_.to_json(); }
  const AddedTokens& added() const { return added_; }
  // A post-processor by roles: "cls $A sep", "cls $A sep $B:1 sep:1". The number is the type.
  std::string template_json(std::string_view single, std::string_view pair) const;
  // RoBERTa's.
  std::string roberta_json(const JsonView& config) const;

 private:
  void name_others(const OlderFolder& folder);
  std::string pieces_json(std::string_view form) const;
  int32_t id(std::string_view role) const;

  std::array<AddedToken, 7> named_;     // by role, without content where there is none
  std::vector<AddedToken> earlier_;     // by the files, in the order of their ids
  std::vector<AddedToken> others_;      // of roles that this model alone has: "image_token"
  std::vector<AddedToken> additional_;  // tokens without a role that the files have
  AddedTokens added_;
};

}  // namespace text
}  // namespace systolic::inline v0
