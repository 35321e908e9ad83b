// The parts of make_post_processor.
#pragma once

#include <memory>
#include <string>

#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<PostProcessor> make_template(const JsonView& json);
std::unique_ptr<PostProcessor> make_bert_processing(const JsonView& json);
std::unique_ptr<PostProcessor> make_roberta_processing(const JsonView& json);
std::unique_ptr<PostProcessor> make_byte_level_processing(const JsonView& json);

void append_special(Encoding& encoding, int32_t id, const std::string& token, int32_t type_id);
// Removes the spaces at both ends of byte-level tokens from their offsets. The space that
// add_prefix_space put before the text is in none.
void trim_offsets(Encoding& encoding, bool add_prefix_space);

}  // namespace text
}  // namespace systolic::inline v0
