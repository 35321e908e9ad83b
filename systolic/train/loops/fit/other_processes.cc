#include "systolic/train/loops/fit/other_processes.h"

#include <string>
#include <utility>

#include "systolic/base/process/place_in_run.h"
#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/batches/feed_state.h"
#include "systolic/train/options/run_state.h"

namespace systolic::inline v0 {
namespace {

Example without_metrics(const Example& run) {
  Example::Components rest;
  for (const Example::Component& one : run) {
    if (!one.name.starts_with(run_state::metrics)) rest.push_back(one);
  }
  return Example(std::move(rest));
}

std::string processes_text(int64_t count) {
  return count == 1 ? std::string("one process") : str(count, " processes");
}

}  // namespace

void begin_epoch_of_other_processes(FitOptions& options) {
  const FeedPlace saved = feed_place(options.input_state);
  const int now = place_in_run().count;
  if (saved.piece.count == 1 || saved.piece.count == now) return;
  options.input_state.clear();
  const bool is_trained = options.run_state.contains(run_state::epoch_is_trained);
  const std::string who = str("fit: ", processes_text(now), " in place of ", saved.piece.count,
                              ", which each read rows of their own and had done ",
                              saved.steps_in_epoch, " steps of epoch ", options.initial_epoch + 1);
  if (saved.steps_in_epoch == 0 || is_trained) {
    publish(events::Notice{{.text = str(who, ": the data begins anew.")}});
    return;
  }
  options.run_state = without_metrics(options.run_state);
  publish_warning(str(who, ": the epoch begins anew, and trains on the rows of these steps again; ",
                      saved.piece.count, " processes would go on after them."));
}

}  // namespace systolic::inline v0
