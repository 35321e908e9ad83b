// What was measured, printed and written as transformers' Trainer does it (log_metrics and
// save_metrics): a block of lines, eval_results.json and all_results.json.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <variant>

#include "systolic/train/options/history.h"

namespace tool::fine_tune {

using Measure = std::variant<int64_t, double>;
using Measures = std::map<std::string, Measure>;

// "***** eval metrics *****" and a line for each.
void print_measures(const std::string& split, const Measures& measures, std::ostream& out);
// FOLDER/eval_results.json, and the same in all_results.json, which keeps what others wrote.
void write_measures(const std::string& split, const Measures& measures, const std::string& folder);
// FOLDER/trainer_state.json: the loss of each step.
void write_losses(const systolic::History& history, double epochs, const std::string& folder);

}  // namespace tool::fine_tune
