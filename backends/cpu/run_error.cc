#include "backends/cpu/run_error.h"

#include <new>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

std::string place_of(std::string_view program, const RunState& state, int64_t number) {
  std::string place = number < 0 ? std::string(program) : str("step ", number, " of ", program);
  if (state.failed == nullptr) return place;
  const Step& step = *state.failed;
  const std::string_view text = step.text;
  place += str(", ", text.substr(0, text.find('\n')));  // a loop's text goes on with its body
  if (*step.layer_path != '\0') place += str(" in ", step.layer_path);
  return place;
}

}  // namespace

void rethrow_located(std::string_view program, const RunState& state,
                     const runtime::ExecuteOptions& options) {
  const std::string place = place_of(program, state, options.step);
  SourceLocation location = options.location;
  if (state.failed != nullptr && state.failed->location.known()) {
    location = state.failed->location;
  }
  try {
    throw;
  } catch (const Error& error) {
    error.rethrow_within(place, location);
  } catch (const std::bad_alloc&) {
    raise<ResourceExhausted>({.what = str(place, ": this machine has no memory left"),
                              .hint = "use a smaller batch or model",
                              .location = location});
  } catch (const std::exception& error) {
    raise<Internal>({.what = str(place, ": ", error.what()), .location = location});
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
