// Reads a template into a tree. Internal to text.
#pragma once

#include <string_view>

#include "systolic/text/templates/nodes.h"

namespace systolic::inline v0 {
namespace text {

// InvalidArgument, naming the line, for what is no template, is nested more than 64 deep, or has
// parts that chats' templates do not use, such as {% include %}.
Statements parse_template(std::string_view source);

}  // namespace text
}  // namespace systolic::inline v0
