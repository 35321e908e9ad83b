#include "systolic/train/state/check_compiled.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void check_compiled(const ModelState& state, std::string_view what, SourceLocation location) {
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

}  // namespace systolic::inline v0
