// A post-processor for another vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systolic/base/function_ref.h"
#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

// The same special tokens around texts, by the ids that `id_of` gives them. One without an id is an
// InvalidArgument that names it.
std::unique_ptr<PostProcessor> renewed(
    const PostProcessor& processor,
    FunctionRef<std::optional<int32_t>(const std::string& token)> id_of);

}  // namespace text
}  // namespace systolic::inline v0
