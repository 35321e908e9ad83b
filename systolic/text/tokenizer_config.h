// tokenizer_config.json, which stands next to a tokenizer.json and says how calls cut and pad.
#pragma once

#include <string>
#include <string_view>

#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

// Next to it in the folder: how messages become a text. Kept for whoever reads the folder.
inline constexpr const char* chat_template_file = "/chat_template.jinja";

// Reads the sides of cutting and padding, the token that pads, and how long texts may be,
// overriding what tokenizer.json says. Older folders name the padding token in
// special_tokens_map.json.
void apply_tokenizer_config(Tokenizer::State& state, const OlderFolder& folder);

// Removes the list of tokens by their ids, which belongs to another vocabulary, from a
// tokenizer_config.json.
void forget_added_tokens(std::string& config);

// "[MASK]" for "mask_token": the token that the file named, the one that pads, or the one that the
// class usually has, where it is special here.
std::optional<std::string> token_of_role(const Tokenizer::State& state, std::string_view role);

// What to save next to tokenizer.json: the file as it was read, updated with what holds now.
std::string tokenizer_config_json(const Tokenizer::State& state);

}  // namespace text
}  // namespace systolic::inline v0
