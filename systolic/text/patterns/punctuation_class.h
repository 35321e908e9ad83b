// [:punct:] in regular expressions: versions of Oniguruma differ in which symbols it takes.
// Internal to regex.h.
#pragma once

#include <string>

namespace systolic::inline v0 {
namespace text {

// The pattern with \p{P}\p{S} in place of each [:punct:] of a class, as Oniguruma 6.9.10, the
// version of the tokenizers package, reads it: "[[:punct:]x]" -> "[\p{P}\p{S}x]". Comments, (?#[),
// are read as the rest is, and (?P), which binds the names of classes to ASCII, is ignored.
std::string with_known_punctuation(const std::string& pattern);

}  // namespace text
}  // namespace systolic::inline v0
