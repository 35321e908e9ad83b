#include "systolic/train/loops/fit/fit_report.h"

#include <optional>
#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/loops/fit/batch_advice.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {
namespace {

void report_frozen_weights(ModelState& state) {
  if (!trains_what_is_trainable(state)) {
    publish_warning(
        str("fit: layers of '", state.network().name(),
            "' were frozen, or no longer, since its training step was made. It changes the "
            "weights that were trainable then; compile() lets it change those that are now."),
        true);
  } else if (state.network().trainable_variables().empty()) {
    publish_warning("fit: no weight of the model is trainable: only its metrics will change.");
  }
}

}  // namespace

void report_before_training(const FitCall& call, const TrainingData& data, int64_t rows) {
  report_frozen_weights(*call.state);
  if (call.options.verbose <= 0) return;
  publish(
      events::Advice{{.text = batch_advice(rows, call.state->cores(), default_client()->kind())}});
  for (std::string& line : data.advice()) {
    publish(events::Advice{{.level = LogLevel::warning, .text = std::move(line), .once = true}});
  }
}

void raise_no_data(SourceLocation location) {
  raise<InvalidArgument>(
      {.what = "fit was given a dataset without a single batch",
       .hint = "look at dataset.cardinality(), at filters, and at drop_remainder with a batch "
               "larger than the data",
       .location = location});
}

void report_data_ended(const FitCall& call, const EpochCursor& cursor, int epoch) {
  const int64_t wanted = call.options.steps_per_epoch;
  std::string text =
      wanted < 0
          ? str("The dataset gave no batch in epoch ", epoch + 1,
                "; training stops. It is read again in each epoch: a source that can be read once "
                "is not enough.")
          : str("The dataset ended in epoch ", epoch + 1, " after ", cursor.step_in_epoch(), " of ",
                wanted,
                " steps; training stops. steps_per_epoch * epochs batches are needed: add repeat() "
                "to the dataset, or leave steps_per_epoch out.");
  publish(events::DataEnded{.steps = cursor.step_in_epoch(),
                            .line = {.level = LogLevel::warning, .text = std::move(text)}});
}

void report_interruption(const std::string& begin, const EpochCursor& cursor, int64_t samples,
                         const Logs& logs) {
  std::optional<double> loss;
  if (!logs.empty()) loss = log_value(logs, "loss");
  const int64_t step = cursor.step(), first = cursor.first_step();
  const std::string here = first > 0 ? str(step - first, " of them here, ") : "";
  std::string text = str(begin, "after step ", step, " (", here, samples, " samples",
                         loss ? str(", loss ", fixed(*loss, 4)) : std::string(), ").");
  publish(events::Interruption{.loss = loss, .line = {.text = std::move(text)}});
}

void report_no_epochs(const FitOptions& options) {
  publish_warning(str("fit: no epoch to run: epochs = ", options.epochs,
                      ", initial_epoch = ", options.initial_epoch,
                      ". epochs is the number of the last epoch, not how many are added."));
}

}  // namespace systolic::inline v0
