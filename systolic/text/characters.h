// Texts by characters, which is what offsets count: a std::string counts bytes.
//
//   const std::string text = "Émile lives in Paris";
//   const Encoding encoding = tokenizer.encode(text);
//   const auto token = encoding.char_to_token(character_of(text, text.find("Paris")));
//   characters(text, encoding.offsets[token])  // "Paris"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/text/pieces/encoding.h"

namespace systolic::inline v0 {

// Characters [begin, end) of a text, or as many of them as there are. Ill-formed bytes are U+FFFD,
// as for the tokenizer.
std::string characters(std::string_view text, Offsets range);
// Which character begins at or contains this byte; past the end, how many characters there are.
uint32_t character_of(std::string_view text, size_t byte);

}  // namespace systolic::inline v0
