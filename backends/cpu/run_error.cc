#include "backends/cpu/run_error.h"

#include <new>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

std::string place_of(std::string_view program, const RunState& state,
                     const runtime::ExecuteOptions& options) {
  const bool in_loop = state.failed_round >= 0;
  const bool round_is_step = in_loop && options.loops_over_steps;
  const int64_t number = options.step + (round_is_step ? state.failed_round : 0);
  std::string place =
      options.step < 0 ? std::string(program) : str("step ", number, " of ", program);
  if (state.failed == nullptr) return place;
  if (in_loop && !round_is_step) place += str(", round ", state.failed_round, " of a loop");
  const Step& step = *state.failed;
  const std::string_view text = step.text;
  place += str(", ", text.substr(0, text.find('\n')));  // a loop's text goes on with its body
  if (*step.layer_path != '\0') place += str(" in ", step.layer_path);
  return place;
}

}  // namespace

void rethrow_located(std::string_view program, const RunState& state,
                     const runtime::ExecuteOptions& options) {
  const std::string place = place_of(program, state, options);
  SourceLocation location = options.location;
  if (state.failed != nullptr && state.failed->location.line != 0) {
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
