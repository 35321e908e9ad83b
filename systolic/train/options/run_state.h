// The names in FitOptions::run_state: what a run knows besides its model's variables and its place
// in the data. Files of a run hold it (train/weights/training_file.h).
#pragma once

namespace systolic::inline v0 {
namespace run_state {

// callback_states (options/callback_states.h), each name after this.
inline constexpr const char* callbacks = "callbacks/";
// Totals of the loss and the metrics in the epoch that was under way (step/metric_totals.h).
inline constexpr const char* metrics = "metrics/";
// There, with any value, where all steps of that epoch were done: its validation and its end
// remain, and the input stands before the next one.
inline constexpr const char* epoch_is_trained = "epoch_is_trained";

}  // namespace run_state
}  // namespace systolic::inline v0
