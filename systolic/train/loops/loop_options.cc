#include "systolic/train/loops/loop_options.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void want_compiled(const ModelState& state, std::string_view what, SourceLocation location) {
  if (state.optimizer && state.losses.empty() && !state.own_loss.hint_without_loss.empty()) {
    raise<FailedPrecondition>({.what = str(what, " of a model that has no loss"),
                               .hint = state.own_loss.hint_without_loss,
                               .location = location});
  }
  if (state.optimizer) return;
  const bool has_loss = !state.own_loss.losses.empty();
  const std::string dropped =
      state.dropped_by.empty() ? "" : str(": ", state.dropped_by, " took that back");
  raise<FailedPrecondition>({.what = str(what, " of a model that is not compiled", dropped),
                             .hint = has_loss
                                         ? "call model.compile({.optimizer = AdamW{}}) first: the "
                                           "loss is the model's own"
                                         : "call model.compile({.optimizer = Adam{}, .loss = ...}) "
                                           "first",
                             .location = location});
}

void want_steps(std::string_view field, int64_t steps, SourceLocation location) {
  if (steps > 0 || steps == -1) return;
  raise<InvalidArgument>({.what = str(field, " = ", steps),
                          .wanted = "1 or more, or -1: until the dataset ends",
                          .location = location});
}

void want_end(const data::Dataset& dataset, std::string_view field, int64_t steps,
              SourceLocation location) {
  if (steps > 0 || dataset.cardinality() != data::infinite_cardinality) return;
  raise<InvalidArgument>({.what = "a dataset without an end",
                          .wanted = str(".", field, ", the batches to take of it"),
                          .hint = "leave out repeat(), or repeat(n) it",
                          .location = location});
}

void want_not_negative(std::string_view field, int64_t value, SourceLocation location) {
  if (value >= 0) return;
  raise<InvalidArgument>(
      {.what = str(field, " = ", value), .wanted = "0 or more", .location = location});
}

}  // namespace systolic::inline v0
