#include "systolic/io/hdf5/worker/descriptor_driver.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace worker {
namespace {

// libhdf5 reads and writes its own part, which must come first.
struct PartFile {
  H5FD_t common;
  FilePart part;
  haddr_t end;  // of what libhdf5 has taken
};

PartFile& of(H5FD_t* file) { return *reinterpret_cast<PartFile*>(file); }
const PartFile& of(const H5FD_t* file) { return *reinterpret_cast<const PartFile*>(file); }

H5FD_t* open_part(const char*, unsigned, hid_t properties, haddr_t) {
  const void* part = H5Pget_driver_info(properties);
  if (part == nullptr) return nullptr;
  auto* file = new (std::nothrow) PartFile{};
  if (file == nullptr) return nullptr;
  file->part = *static_cast<const FilePart*>(part);
  return &file->common;
}

herr_t close_part(H5FD_t* file) {
  delete &of(file);
  return 0;
}

herr_t query_part(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t end_of_space(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }

herr_t set_end_of_space(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end = end;
  return 0;
}

haddr_t end_of_part(const H5FD_t* file, H5FD_mem_t) { return of(file).part.bytes; }

// After the file's end there are zeros, as libhdf5 expects of its drivers.
herr_t read_part(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, size_t size, void* buffer) {
  const FilePart& part = of(file).part;
  const size_t there = place >= part.bytes ? 0 : std::min<uint64_t>(size, part.bytes - place);
  auto* bytes = static_cast<char*>(buffer);
  size_t done = 0;
  while (done < there) {
    const ssize_t count = pread(part.descriptor, bytes + done, there - done,
                                static_cast<off_t>(part.offset + place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  std::fill(bytes + done, bytes + size, '\0');
  return 0;
}

herr_t write_part(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, size_t size, const void* buffer) {
  FilePart& part = of(file).part;
  const auto* bytes = static_cast<const char*>(buffer);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = pwrite(part.descriptor, bytes + done, size - done,
                                 static_cast<off_t>(part.offset + place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    done += static_cast<size_t>(count);
  }
  part.bytes = std::max<uint64_t>(part.bytes, place + size);
  return 0;
}

herr_t truncate_part(H5FD_t* file, hid_t, hbool_t) {
  PartFile& part = of(file);
  if (part.part.bytes == part.end) return 0;
  if (ftruncate(part.part.descriptor, static_cast<off_t>(part.part.offset + part.end)) != 0)
    return -1;
  part.part.bytes = part.end;
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t functions{};
    functions.name = "part of an open file";
    functions.maxaddr = static_cast<haddr_t>(INT64_MAX);
    functions.fc_degree = H5F_CLOSE_STRONG;
    functions.fapl_size = sizeof(FilePart);
    functions.open = open_part;
    functions.close = close_part;
    functions.query = query_part;
    functions.get_eoa = end_of_space;
    functions.set_eoa = set_end_of_space;
    functions.get_eof = end_of_part;
    functions.read = read_part;
    functions.write = write_part;
    functions.truncate = truncate_part;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), functions.fl_map);
    return H5FDregister(&functions);
  }();
  return id;
}

}  // namespace

Handle properties_of(const FilePart& part) {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "properties");
  checked(H5Pset_driver(properties, driver(), &part), "with a driver");
  return properties;
}

}  // namespace worker
