// The loss and the metrics of a step or an epoch, with their names.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// Names and values in the order in which they print: loss first, then metrics, then their val_
// twins.
using Logs = std::vector<std::pair<std::string, double>>;

// The value under a name. Another is a NotFound that lists those that there are: none in
// on_train_batch_end of a callback whose wants_batch_logs() is false.
double log_value(const Logs& logs, std::string_view name,
                 SourceLocation location = SourceLocation::current());

// "0.1234", and "1.2340e-04" where four digits would show nothing.
std::string log_number_text(double value);
// "loss: 0.1234 - accuracy: 0.9876"
std::string logs_text(const Logs& logs);

}  // namespace systolic::inline v0
