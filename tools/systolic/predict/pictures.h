// Pictures as rows of a model's input.
#pragma once

#include <string>

#include "tools/systolic/predict/rows.h"

namespace tool::predict {

// The rows of a picture's file or of a folder of them (rows.h).
Rows of_pictures(const std::string& path, const Predictor& model, double divide_by);

}  // namespace tool::predict
