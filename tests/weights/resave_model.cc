// Loads a model from a folder that transformers wrote, by its Auto class, and saves it again, with
// its image processor where there is one; of a folder without weights, a fresh one: for
// check_with_transformers.py.
//
//   resave_model Model|ForSequenceClassification|ForMaskedLM|... FROM TO
#include <iostream>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/images/image_processor.h"

using namespace systolic;

namespace {

Task task_of(const std::string& suffix) {
  constexpr int last = static_cast<int>(Task::projection);
  for (int i = 0; i <= last; ++i) {
    if (class_suffix(static_cast<Task>(i)) == suffix) return static_cast<Task>(i);
  }
  raise<InvalidArgument>({.what = "no class of models ends in " + suffix});
}

PretrainedModel load(const std::string& folder, Task task) {
  if (io::exists(folder + "/model.safetensors"))
    return PretrainedModel::from_pretrained(folder, task, {}, {});
  return PretrainedModel::from_config(PretrainedConfig::from_pretrained(folder), task, {}, {});
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: resave_model TASK FROM TO\n";
    return 2;
  }
  const std::string from = arguments[2], to = arguments[3];
  try {
    load(from, task_of(arguments[1])).save_pretrained(to);
    if (io::exists(from + "/preprocessor_config.json"))
      AutoImageProcessor::from_pretrained(from).save_pretrained(to);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
