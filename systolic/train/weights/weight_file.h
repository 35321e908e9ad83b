// An HDF5 file to be, whose arrays are a model's variables. Internal to train and saving.
#pragma once

#include <map>
#include <string>

#include "systolic/io/hdf5/hdf5.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {
namespace saving {

struct WeightFile {
  io::Hdf5Group root;
  std::map<std::string, Variable> variables;  // by their paths in the file
  std::map<std::string, Literal> constants;   // likewise

  void add(const std::string& path, const Variable& variable) {
    root.add_dataset(path, variable.dtype(), variable.shape());
    variables[path] = variable;
  }
  void add(const std::string& path, const Literal& constant) {
    root.add_dataset(path, constant.dtype(), constant.shape());
    constants.emplace(path, constant);
  }
  // Each is fetched from the device when it is written. Good as long as this.
  io::Hdf5Values values(SourceLocation location) const {
    return [this, location](const std::string& path, const io::Hdf5Dataset&) {
      const auto constant = constants.find(path);
      return constant != constants.end() ? constant->second : variables.at(path).literal(location);
    };
  }
};

}  // namespace saving
}  // namespace systolic::inline v0
