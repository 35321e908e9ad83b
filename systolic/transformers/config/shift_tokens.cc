#include "systolic/transformers/config/shift_tokens.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

Literal shift_tokens_right(const Literal& labels, const ShiftOptions& options,
                           SourceLocation location) {
  constexpr int64_t ignored = -100;
  if (labels.rank() != 2 || !is_integer(labels.dtype())) {
    raise<InvalidArgument>(
        {.what = str("labels of ", to_string(labels.dtype()), " and shape ", labels.shape()),
         .wanted = "token ids of the texts to write, integers [batch, tokens], -100 after the end",
         .location = location});
  }
  const int64_t tokens = labels.shape()[1];
  Literal result(DType::i32, labels.shape());
  const auto to = result.mutable_data<int32_t>();
  for (int64_t i = 0; i < labels.size(); ++i) {
    int64_t id = i % tokens == 0 ? options.start : labels.integer_at(i - 1);
    if (id == ignored) id = options.padding;
    to[static_cast<size_t>(i)] = static_cast<int32_t>(id);
  }
  return result;
}

}  // namespace systolic::inline v0
