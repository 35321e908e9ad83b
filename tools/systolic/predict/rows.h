// What is predicted from: rows for a model's inputs, from arrays, pictures, tables or texts.
#pragma once

#include <string>
#include <vector>

#include "tools/systolic/predict/predictor.h"

namespace tool::predict {

struct Rows {
  systolic::Example arrays = {};  // by the inputs' names
  std::string title = {};         // of what people know a row by: "file", "text"; empty: its number
  std::vector<std::string> names = {};  // of the rows, where they have a title
};

// By what lies at the path:
//
//   .npz                       arrays by the inputs' names; the only one for the only input by any
//   a picture, or a folder     .jpg, .jpeg, .png, .gif, .bmp, .webp, in the folder or in a folder
//                              for each class: resized to the input's size (bilinear), numbers from
//                              0 to 255 divided by `divide_by`; a Hugging Face model's as its
//                              preprocessor_config.json says
//   .csv, .tsv, .jsonl         columns by the inputs' names, or as many columns of numbers, in
//   their
//                              order, as the only input has; a column "text" or "sentence", or the
//                              only one of texts, where a tokenizer lies beside the model
//   .txt                       a text a line, for such a model
//
// What does not fit the model is an InvalidArgument that says what it takes.
Rows read_rows(const std::string& path, const Predictor& model, double divide_by);

}  // namespace tool::predict
