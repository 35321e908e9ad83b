#include "systolic/train/callbacks/checks/needs_validation.h"

#include "systolic/base/error.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {

void check_is_validated(std::string_view who, const std::string& name, const Model& model,
                        const FitOptions& options, bool between, SourceLocation location) {
  // A metric of one's own may have such a name.
  if (!name.starts_with("val_") || is_logged(model, name)) return;
  const auto fail = [&](std::string_view why, std::string_view wanted) {
    raise<InvalidArgument>(
        {.what = str(who, ", and ", why), .wanted = std::string(wanted), .location = location});
  };
  if (!options.validation_data && options.validation_split <= 0)
    fail("fit has nothing to validate with", "validation_data, or validation_split with arrays");
  if (between) fail("saves between validations", "a name without it, or no .save_freq");
  if (options.validation_freq > 1)
    fail(str("fit validates only every ", options.validation_freq, " epochs"),
         "a name without it, or .validation_freq = 1");
}

}  // namespace systolic::inline v0
