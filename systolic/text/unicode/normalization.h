// Unicode normalization forms (Unicode Standard Annex 15) with the changes that alignments need.
#pragma once

#include <string_view>

#include "systolic/text/unicode/change.h"

namespace systolic::inline v0 {
namespace text {

enum class NormalizationForm { nfc, nfd, nfkc, nfkd };

// The characters of the normal form of `text`, which is valid UTF-8. A change is 0 for a character
// that takes the place of one, 1 for one that is added, and -n where n more were composed into it.
//   normalization_changes("e\u0301", NormalizationForm::nfc)        // {{U'é', -1}}
Changes normalization_changes(std::string_view text, NormalizationForm form);

}  // namespace text
}  // namespace systolic::inline v0
