// The same for each of many texts, on several threads, and what Tokenizer checks of pairs.
#pragma once

#include <cstddef>

#include "systolic/base/function_ref.h"
#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace text {

// Calls body(i) for each of `count` texts on the pool's threads, with a line on standard error that
// shows how far it is if `show_progress`.
void for_each_text(size_t count, bool show_progress, FunctionRef<void(size_t)> body);

// An InvalidArgument unless there are as many of each.
void check_pairs(size_t texts, size_t pairs, SourceLocation location);

}  // namespace text
}  // namespace systolic::inline v0
