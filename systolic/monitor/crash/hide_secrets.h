// What texts of errors may hold and nobody else may read.
#pragma once

#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {

// Without what stands in addresses before "@" and after "?", as signatures and passwords do;
// without the word after "Bearer " and "Basic ", after "token", "password", "passwd", "secret",
// "api_key" and "access_key" with "=" or ":", as in "\"token\": \"abc\"", and after "key="; and
// without tokens of Hugging Face, "hf_...": "..." stands there.
//
//   hide_secrets("https://a:b@host/f?sig=1 failed") == "https://...@host/f?... failed"
std::string hide_secrets(std::string_view text);

}  // namespace monitor
}  // namespace systolic::inline v0
