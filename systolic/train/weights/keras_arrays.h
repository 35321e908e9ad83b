// The arrays of a file of weights by Keras 3's paths: "layers/dense/vars", and in it "0", "1", ...
// One HDF5 file has them, or several. Internal to train and saving.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "systolic/io/hdf5/hdf5.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace saving {

struct KerasArray {
  ir::Type type;
  std::function<Literal()> read;  // as long as the file does not change
};

struct KerasArrays {
  using Group = std::map<std::string, KerasArray>;

  std::string path;                     // for errors
  std::map<std::string, Group> groups;  // without '/' at either end; "vars" is the model's own
  std::vector<std::string> links;       // what is not followed, and why: a line each

  // Null where there is none.
  const Group* find(const std::string& group) const;
};

KerasArrays keras_arrays(const io::Hdf5File& file, SourceLocation location);

// Adds those of one group of a file. An array that is there already is a DataLoss.
void add_keras_arrays(const io::Hdf5File& file, const io::Hdf5Group& group, const std::string& path,
                      KerasArrays& arrays, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
