// tokenizer_config.json, which stands beside a tokenizer.json and says how calls cut and pad.
#pragma once

#include <string>
#include <string_view>

#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

// Beside it in the folder: how messages become a text. Kept for who reads the folder.
inline constexpr const char* chat_template_file = "/chat_template.jinja";

// Takes the sides of cutting and padding, what pads, and how long texts may be, over what
// tokenizer.json says. Older folders name the padding token in special_tokens_map.json.
void apply_tokenizer_config(Tokenizer::State& state, const OlderFolder& folder);

// Takes the list of the tokens by their ids, of another vocabulary, out of a tokenizer_config.json.
void forget_added_tokens(std::string& config);

// "[MASK]" for "mask_token": what the file named, what pads, or what the class usually has, where
// it is special here.
std::optional<std::string> token_of_role(const Tokenizer::State& state, std::string_view role);

// What to save beside tokenizer.json: the file as it was read, with what holds now.
std::string tokenizer_config_json(const Tokenizer::State& state);

}  // namespace text
}  // namespace systolic::inline v0
