// Texts of templates changed as Python's methods and Jinja's filters do. Internal to text.
//
// A letter other than a to z that has an upper-case form is Unimplemented where one is asked for.
#pragma once

#include <string>

#include "systolic/text/templates/operations.h"

namespace systolic::inline v0 {
namespace text {

using Given = const CallArguments&;

// Errors call it `what`: InvalidArgument where it is no text, or was not given.
const std::string& text_of(const Value& value, const char* what);
const Value& required(const Value* value, const char* what);

// Without Python's white space, or these characters, at the ends.
std::string stripped(const std::string& text, bool left, bool right, const Value* characters);
std::string lower(const std::string& text);
std::string upper(const std::string& text);
std::string capitalized(const std::string& text);
// Words begin after what is no letter: the method title().
std::string titled(const std::string& text);
// Words begin after spaces, hyphens and opening brackets: the filter title.
std::string titled_words(const std::string& text);
// The first `most` places, all of them below 0.
Value replaced(const std::string& text, const Value& from, const Value& to, int64_t most);
Value split_text(const std::string& text, const Value* separator, int64_t most);
Value lines_of_text(const std::string& text);
// The elements, or their attribute, with the separator between them.
Value joined(const Value& list, const std::string& separator, const Value* attribute);
// Pairs of a map's keys and values.
Value items_of(const Value& map);

}  // namespace text
}  // namespace systolic::inline v0
