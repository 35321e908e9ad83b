#include "systolic/io/hdf5/worker/create.h"

#include <vector>

#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker/attributes.h"
#include "systolic/io/hdf5/worker/descriptor_driver.h"
#include "systolic/io/hdf5/worker/types.h"

namespace worker {
namespace {

namespace wire = systolic::io::hdf5_wire;

void create_attributes(hid_t object, wire::Reader& in) {
  for (uint64_t i = in.number(); i > 0; --i) create_attribute(object, in);
}

Handle dataset_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
  checked(H5Pset_layout(properties, H5D_CONTIGUOUS), "properties");
  checked(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY), "properties");
  checked(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "properties");
  checked(H5Pset_obj_track_times(properties, false), "properties");  // the same bytes each time
  return properties;
}

// Where its numbers go.
uint64_t create_dataset(hid_t group, const std::string& name, wire::Reader& in) {
  const Handle type = stored_type(in.text());
  std::vector<hsize_t> dims(in.number());
  for (hsize_t& size : dims) size = in.number();
  const Handle space(dims.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                     H5Sclose, "a shape");
  const Handle properties = dataset_properties();
  const Handle dataset(
      H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
      "a dataset");
  create_attributes(dataset, in);
  if (elements_of(dims) == 0) return wire::no_place;
  return H5Dget_offset(dataset);
}

}  // namespace

std::string create_file(std::string_view tree) {
  constexpr hsize_t least_aligned = 4096, alignment = 64;  // a reader's arrays are views then
  const Handle access = properties_of({.descriptor = wire::file_number});
  checked(H5Pset_alignment(access, least_aligned, alignment), "properties");
  const Handle file(H5Fcreate("new", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "a new file");
  wire::Reader in(tree);
  wire::Writer places;
  std::vector<Handle> groups;
  do {
    const auto item = static_cast<wire::Item>(in.byte());
    if (item == wire::Item::end) {
      groups.pop_back();
      continue;
    }
    const std::string name(in.text());
    if (item == wire::Item::dataset) {
      places.number(create_dataset(groups.back(), name, in));
    } else {
      groups.emplace_back(groups.empty() ? H5Gopen2(file, "/", H5P_DEFAULT)
                                         : H5Gcreate2(groups.back(), name.c_str(), H5P_DEFAULT,
                                                      H5P_DEFAULT, H5P_DEFAULT),
                          H5Gclose, "a group");
      create_attributes(groups.back(), in);
    }
  } while (!groups.empty() && in.is_whole());
  return places.bytes();
}

}  // namespace worker
