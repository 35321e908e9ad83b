#include "systolic/events/event.h"

#include <array>

namespace systolic::inline v0 {
namespace {

// In the order of the variant.
constexpr std::array names{
    "run_begin",          "epoch_begin",      "step_shapes",     "step_end",       "loss_known",
    "epoch_end",          "evaluation_begin", "evaluation_step", "evaluation_end", "compilation",
    "recompilation",      "advice",           "notice",          "input_wait",     "data_ended",
    "checkpoint_written", "summary",          "interruption",    "failure",        "run_end"};
static_assert(names.size() == std::variant_size_v<Event>);

}  // namespace

std::string_view event_name(const Event& event) { return names[event.index()]; }

const events::Line* line_of(const Event& event) {
  return std::visit(
      [](const auto& one) -> const events::Line* {
        if constexpr (requires { one.line; }) {
          return one.line.text.empty() ? nullptr : &one.line;
        } else {
          return nullptr;
        }
      },
      event);
}

}  // namespace systolic::inline v0
