// Files of SQuAD: its own JSON, version 1 and 2, and flat rows of a question each, as the datasets
// package has them.
#pragma once

#include <string>
#include <vector>

#include "systolic/transformers/questions/qa_features.h"

namespace tool::fine_tune {

// {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
// "answer_start"}]}]}]}]}, or {"data": [ROW, ...]}, [ROW, ...] or a ROW a line, where a ROW is
// {"id", "question", "context", "answers": {"text": [...], "answer_start": [...]}}. DataLoss for
// what is none of these and for answers that do not stand where they are said to, with the file,
// the line and the column of the question.
std::vector<systolic::QaExample> read_squad_file(const std::string& path);

}  // namespace tool::fine_tune
