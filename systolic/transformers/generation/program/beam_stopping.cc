#include "systolic/transformers/generation/program/beam_stopping.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

BeamStopping::BeamStopping(const char* text) : when_(When::never) {
  if (std::string_view(text) == "never") return;
  raise<InvalidArgument>(
      {.what = str("early_stopping = \"", text, "\""), .wanted = "true, false or \"never\""});
}

}  // namespace systolic::inline v0
