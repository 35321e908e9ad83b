// The tree that the worker sends of a file.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "systolic/io/hdf5/hdf5.h"

namespace systolic::inline v0 {
namespace io {

// Where a dataset's numbers are, by its number.
struct Hdf5Place {
  DType dtype = DType::f32;
  Shape shape;
  uint64_t offset = 0, stored_bytes = 0;  // hdf5_wire::no_place: only libhdf5 can read them
  std::string unreadable;
};

struct Hdf5Tree {
  Hdf5Group root;
  std::vector<Hdf5Place> places;
};

// The worker may have been taken over by the file that it read: nothing of this is believed. Calls
// `fail`, which must throw, where it makes no sense.
Hdf5Tree parse_tree(std::string_view bytes, const std::function<void(std::string_view)>& fail);

}  // namespace io
}  // namespace systolic::inline v0
