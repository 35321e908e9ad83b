// Writes a model as a SavedModel, by export_saved_model and by Model::save, and as a program, and
// what it predicts: for call_saved_model.py and check_portable.py.
//
//   export_saved_model MODEL FOLDER DATA.npz
//
// The program comes into FOLDER_program, what Model::save writes into FOLDER_whole. DATA gets the
// inputs, each as x_NAME, and the outputs, as y_NAME.
#include <cctype>
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: export_saved_model MODEL FOLDER DATA.npz\n";
    return 2;
  }
  try {
    const Model model = load_model(arguments[1]);
    export_saved_model(model, arguments[2]);
    model.save(std::string(arguments[2]) + "_whole");
    export_model(model, std::string(arguments[2]) + "_program");
    Example data;
    std::vector<Literal> xs;
    for (const NetworkPort& port : model.network().input_ports()) {
      std::vector<int64_t> sizes(port.type.shape.begin(), port.type.shape.end());
      sizes.front() = 7;
      xs.push_back(abs(random_normal(Shape(sizes))).literal().convert(port.type.dtype));
      data.set("x_" + port.name, xs.back());
    }
    for (const auto& [name, value] : model.predict_outputs(ModelArrays(xs)))
      data.set("y_" + name, value);
    io::write_npz(arguments[3], data);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
