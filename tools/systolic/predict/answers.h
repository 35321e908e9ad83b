// Predictions as CSV, for people and spreadsheets.
#pragma once

#include <string>

#include "tools/systolic/predict/rows.h"

namespace tool::predict {

// A line of names, then one for each row: what it is known by, `label` where the model's classes
// have names, and the numbers. InvalidArgument for more than 10,000 numbers a row.
std::string answers_as_csv(const Rows& rows, const systolic::Example& outputs,
                           const std::vector<std::string>& labels);

}  // namespace tool::predict
