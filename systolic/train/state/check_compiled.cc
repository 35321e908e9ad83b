#include "systolic/train/state/check_compiled.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void check_compiled(const ModelState& state, std::string_view what, SourceLocation location) {
  const Compiled& compiled = state.compiled();
  const OwnLoss& own = state.own_loss();
  if (compiled.optimizer && compiled.losses.empty() && !own.hint_without_loss.empty()) {
    raise<FailedPrecondition>({.what = str(what, " of a model that has no loss"),
                               .hint = own.hint_without_loss,
                               .location = location});
  }
  if (compiled.optimizer) return;
  const std::string dropped =
      compiled.dropped_by.empty() ? "" : str(": ", compiled.dropped_by, " took that back");
  raise<FailedPrecondition>(
      {.what = str(what, " of a model that is not compiled", dropped),
       .hint =
           own.losses.empty()
               ? "call model.compile({.optimizer = Adam{}, .loss = ...}) first"
               : "call model.compile({.optimizer = AdamW{}}) first: the loss is the model's own",
       .location = location});
}

}  // namespace systolic::inline v0
