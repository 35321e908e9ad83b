// Texts, or pairs of them, and a class or a number for each: one split of a GLUE task, or of files
// of one's own. Internal to systolic glue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"
#include "tools/systolic/fine_tune/glue_tasks.h"
#include "tools/systolic/fine_tune/text_table.h"

namespace tool::fine_tune {

struct TextClasses {
  std::vector<std::string> texts, pairs;  // no pairs: texts alone
  std::vector<double> labels;             // by the model's numbers; none where they are unknown

  int64_t rows() const { return static_cast<int64_t>(texts.size()); }
  // Those of the first rows; 0: of all.
  void cut(int64_t most);
  // "text", "pair" and, where `labelled`, "label": i32, or f32 for numbers.
  systolic::data::Dataset dataset(bool labelled, bool of_numbers) const;
};

// What the labels of a task's files say, and which columns the files have.
class TextClassReader {
 public:
  // `task` is null for files of one's own, whose columns and classes are then taken from `train`:
  // "sentence1" and "sentence2", or the first two besides "label"; classes are what stands there,
  // sorted. Classes that the model's configuration names keep its order.
  TextClassReader(const GlueTask* task, const TextTable& first,
                  const std::vector<std::string>& names_of_model);

  bool of_numbers() const { return classes_.empty(); }
  // In the model's order.
  const std::vector<std::string>& classes() const { return classes_; }
  TextClasses read(const TextTable& table, bool labelled) const;

 private:
  void read_columns(const TextTable& first);
  void read_classes(const TextTable& first);
  std::vector<double> labels_of(const TextTable& table, const std::string& column) const;
  double label_of(const TextTable& table, const std::string& column, int64_t row) const;
  const std::vector<std::string>& classes_of_files() const;

  const GlueTask* task_;
  std::vector<std::string> text_, pair_, label_{"label"};
  std::vector<std::string> classes_;
  std::map<std::string, double> numbers_;  // of the classes
};

}  // namespace tool::fine_tune
