#include "systolic/base/error.h"
#include "systolic/text/pretokenizers/make.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<PreTokenizer> make_unicode_scripts() {
  raise<Unimplemented>({.what = "the pre-tokenizer UnicodeScripts"});
}

}  // namespace text
}  // namespace systolic::inline v0
