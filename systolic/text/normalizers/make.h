// The parts of make_normalizer.
#pragma once

#include <memory>
#include <string>

#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

// nullptr for a type that is not one of the simple ones.
std::unique_ptr<Normalizer> make_simple_normalizer(const std::string& type, const JsonView& json);
// SentencePiece's compiled map of character sequences.
std::unique_ptr<Normalizer> make_precompiled(const JsonView& json);
// Every byte becomes the character that stands for it.
void to_byte_characters(NormalizedText& text);

}  // namespace text
}  // namespace systolic::inline v0
