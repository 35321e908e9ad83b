// Loads a model from a folder that transformers wrote, by its Auto class, and saves it again, with
// its image processor where there is one: for check_with_transformers.py.
//
//   resave_model sequences|images FROM TO
#include <iostream>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/models/auto_model.h"
#include "systolic/models/image_processor.h"

int main(int count, char** arguments) {
  using namespace systolic;
  if (count != 4) {
    std::cerr << "usage: resave_model sequences|images FROM TO\n";
    return 2;
  }
  const std::string from = arguments[2], to = arguments[3];
  try {
    if (arguments[1] == std::string("sequences")) {
      AutoModelForSequenceClassification::from_pretrained(from).save_pretrained(to);
    } else {
      AutoModelForImageClassification::from_pretrained(from).save_pretrained(to);
    }
    if (io::exists(from + "/preprocessor_config.json"))
      AutoImageProcessor::from_pretrained(from).save_pretrained(to);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
