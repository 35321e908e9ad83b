#include "systolic/base/error.h"
#include "systolic/text/normalizers/make.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<Normalizer> make_precompiled(const JsonView&) {
  raise<Unimplemented>({.what = "the normalizer Precompiled"});
}

}  // namespace text
}  // namespace systolic::inline v0
