#include "systolic/io/hdf5/worker/dataset.h"

#include <algorithm>
#include <numeric>

#include "systolic/io/hdf5/worker/attributes.h"
#include "systolic/io/hdf5/worker/types.h"

namespace worker {
namespace {

constexpr uint64_t most_chunk_bytes = uint64_t{1} << 28;

Handle file_type(hid_t dataset) { return {H5Dget_type(dataset), H5Tclose, "a dataset's type"}; }
Handle file_space(hid_t dataset) { return {H5Dget_space(dataset), H5Sclose, "a dataset's shape"}; }
Handle creation(hid_t dataset) {
  return {H5Dget_create_plist(dataset), H5Pclose, "a dataset's properties"};
}

// A filter that is not among those that h5py's own options name is not trusted, or not there.
std::string unknown_filter(hid_t properties) {
  const int count = checked(H5Pget_nfilters(properties), "a dataset's filters");
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    char name[64] = {};
    const H5Z_filter_t filter =
        checked(H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr,
                               sizeof(name) - 1, name, &config),
                "a dataset's filters");
    if (filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
        filter == H5Z_FILTER_FLETCHER32) {
      continue;
    }
    return "it is packed by the filter " + std::to_string(filter) +
           (name[0] == '\0' ? "" : std::string(" (") + name + ")") +
           "; gzip, shuffle and fletcher32 are read";
  }
  return {};
}

std::vector<hsize_t> chunk_of(hid_t properties, size_t rank) {
  std::vector<hsize_t> chunk(rank);
  if (H5Pget_chunk(properties, static_cast<int>(rank), chunk.data()) != static_cast<int>(rank))
    fail("cannot read a dataset's chunks");
  return chunk;
}

std::string why_unreadable(hid_t properties, const std::vector<hsize_t>& dims, size_t width) {
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL) return "its numbers are those of other datasets (a virtual dataset)";
  if (checked(H5Pget_external_count(properties), "a dataset's place") > 0)
    return "its numbers lie in another file (external storage)";
  if (layout != H5D_CHUNKED) return {};
  const std::vector<hsize_t> chunk = chunk_of(properties, dims.size());
  if (elements_of(chunk) > most_chunk_bytes / width)
    return "it has chunks of more than " + std::to_string(most_chunk_bytes >> 20) + " MB";
  return unknown_filter(properties);
}

// The part of a dataset that is read at a time: whole axes after `axis`, `rows` of that, one of
// those before.
struct Slab {
  size_t axis = 0;
  hsize_t rows = 1;
};

Slab slab_for(const std::vector<hsize_t>& dims, hid_t properties, uint64_t most_elements) {
  Slab slab;
  uint64_t inner = 1;
  for (slab.axis = dims.size() - 1; slab.axis > 0; --slab.axis) {
    if (inner * dims[slab.axis] > most_elements) break;
    inner *= dims[slab.axis];
  }
  slab.rows = std::clamp<hsize_t>(most_elements / inner, 1, dims[slab.axis]);
  if (H5Pget_layout(properties) == H5D_CHUNKED) {  // whole chunks, so that none is unpacked twice
    const hsize_t chunk = chunk_of(properties, dims.size())[slab.axis];
    if (slab.rows > chunk) slab.rows -= slab.rows % chunk;
  }
  return slab;
}

// The first index after a slab; false after the last.
bool next_slab(const std::vector<hsize_t>& dims, const Slab& slab, std::vector<hsize_t>& start) {
  start[slab.axis] += slab.rows;
  for (size_t axis = slab.axis; start[axis] >= dims[axis]; --axis) {
    if (axis == 0) return false;
    start[axis] = 0;
    ++start[axis - 1];
  }
  return true;
}

void send_slabs(hid_t dataset, hid_t type, const std::vector<hsize_t>& dims,
                const Channel& channel) {
  const Handle space = file_space(dataset);
  const size_t width = H5Tget_size(type);
  const Slab slab = slab_for(dims, creation(dataset), channel.window().size() / width);
  std::vector<hsize_t> start(dims.size(), 0), size = dims;
  std::fill_n(size.begin(), slab.axis, 1);
  do {
    size[slab.axis] = std::min(slab.rows, dims[slab.axis] - start[slab.axis]);
    const hsize_t count = elements_of(size);
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "memory");
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
            "a part of a dataset");
    checked(H5Dread(dataset, type, memory, space, H5P_DEFAULT, channel.window().data()),
            "the numbers of a dataset");
    channel.send_piece(count * width);
  } while (next_slab(dims, slab, start));
}

}  // namespace

DatasetForm form_of(hid_t dataset) {
  DatasetForm form;
  form.type = "f32";
  const Handle type = file_type(dataset);
  form.dims = dims_of(file_space(dataset));
  const uint64_t elements = elements_of(form.dims);
  const Handle properties = creation(dataset);
  const std::optional<NumberType> number = number_type_of(type);
  if (!number) {
    form.unreadable = "it holds " + describe_type(type);
    return form;
  }
  const size_t width = H5Tget_size(number->memory);
  form.type = number->name;
  form.unreadable = why_unreadable(properties, form.dims, width);
  if (!form.unreadable.empty() || elements == 0) return form;
  form.stored_bytes = H5Dget_storage_size(dataset);
  const bool as_stored = H5Pget_layout(properties) == H5D_CONTIGUOUS &&
                         checked(H5Tequal(type, number->memory), "a type") > 0;
  if (!as_stored) return form;
  const haddr_t place = H5Dget_offset(dataset);
  if (place != HADDR_UNDEF) form.place = place;
  return form;
}

void send_numbers(hid_t dataset, const Channel& channel) {
  const std::optional<NumberType> number = number_type_of(file_type(dataset));
  const std::vector<hsize_t> dims = dims_of(file_space(dataset));
  if (!number || !why_unreadable(creation(dataset), dims, H5Tget_size(number->memory)).empty())
    throw Fault("a dataset that cannot be read");
  if (elements_of(dims) == 0) return;
  if (!dims.empty()) return send_slabs(dataset, number->memory, dims, channel);
  checked(H5Dread(dataset, number->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, channel.window().data()),
          "a number");
  channel.send_piece(H5Tget_size(number->memory));
}

}  // namespace worker
