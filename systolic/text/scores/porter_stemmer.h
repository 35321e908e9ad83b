// The stems of English words (Porter 1980, "An algorithm for suffix stripping"), with the changes
// that the package nltk makes by default and `rouge_score` uses. Internal to text.
#pragma once

#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace text {

// The stem of a word in lower case: porter_stem("sailing") is "sail". The time it takes grows as
// the word does.
std::string porter_stem(std::string_view word);

}  // namespace text
}  // namespace systolic::inline v0
