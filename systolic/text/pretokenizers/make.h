// The parts of make_pre_tokenizer.
#pragma once

#include <memory>
#include <string>

#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

// nullptr for a type that is not one of the simple ones.
std::unique_ptr<PreTokenizer> make_simple_pre_tokenizer(const std::string& type,
                                                        const JsonView& json);
std::unique_ptr<PreTokenizer> make_byte_level(const JsonView& json);
std::unique_ptr<PreTokenizer> make_metaspace(const JsonView& json);
std::unique_ptr<PreTokenizer> make_unicode_scripts();

}  // namespace text
}  // namespace systolic::inline v0
