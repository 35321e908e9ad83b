// What languages are called in Whisper's tokens. Internal to transformers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace systolic::inline v0 {

// "de" of "german" and of "de": an English name in lower case, or a code of ISO 639, of the
// languages that Whisper was trained with (Radford et al. 2022, arXiv 2212.04356, appendix E).
std::optional<std::string> language_code(std::string_view language);

}  // namespace systolic::inline v0
