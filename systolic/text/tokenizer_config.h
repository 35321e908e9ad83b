// tokenizer_config.json, which stands beside a tokenizer.json and says how calls cut and pad.
#pragma once

#include <string>
#include <string_view>

#include "systolic/text/json_view.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

// The token that `config` names, as text or as an object with "content"; else the usual one.
std::string token_name(const JsonView& config, std::string_view name, std::string_view usual);

// Takes the sides of cutting and padding, what pads, and how long texts may be, over what
// tokenizer.json says. `special_tokens` is special_tokens_map.json, where older folders name the
// padding token.
void apply_tokenizer_config(Tokenizer::State& state, const JsonView& config,
                            const JsonView& special_tokens);

// What to save beside tokenizer.json: the file as it was read, with what holds now.
std::string tokenizer_config_json(const Tokenizer::State& state);

}  // namespace text
}  // namespace systolic::inline v0
