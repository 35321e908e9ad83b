#include "systolic/train/weights/keras_arrays.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

void add_all_arrays(const io::Hdf5File& file, const io::Hdf5Group& group, const std::string& path,
                    KerasArrays& arrays, SourceLocation location) {
  if (!path.empty()) add_keras_arrays(file, group, path, arrays, location);
  for (const io::Hdf5Link& link : group.links)
    arrays.links.push_back(str(path.empty() ? "" : path + "/", link.name, ": ", link.why));
  for (const io::Hdf5Group& inner : group.groups) {
    const std::string inside = path.empty() ? inner.name : str(path, "/", inner.name);
    add_all_arrays(file, inner, inside, arrays, location);
  }
}

}  // namespace

const KerasArrays::Group* KerasArrays::find(const std::string& group) const {
  const auto found = groups.find(group);
  return found == groups.end() ? nullptr : &found->second;
}

void add_keras_arrays(const io::Hdf5File& file, const io::Hdf5Group& group, const std::string& path,
                      KerasArrays& arrays, SourceLocation location) {
  KerasArrays::Group& into = arrays.groups[path];
  for (const io::Hdf5Dataset& dataset : group.datasets) {
    // A dataset is a part of the file's state, which the copy keeps.
    const auto read = [file, dataset = &dataset, location] {
      return file.read(*dataset, location);
    };
    if (into.try_emplace(dataset.name, KerasArray{{dataset.dtype, dataset.shape}, read}).second)
      continue;
    raise<DataLoss>({.what = str("'", file.path(), "' has the array ", path, "/", dataset.name,
                                 ", which another file of the same weights has, too"),
                     .location = location});
  }
}

KerasArrays keras_arrays(const io::Hdf5File& file, SourceLocation location) {
  KerasArrays arrays{.path = file.path(), .groups = {}, .links = {}};
  add_all_arrays(file, file.root(), "", arrays, location);
  return arrays;
}

}  // namespace saving
}  // namespace systolic::inline v0
