// HDF5 files, as h5py and Keras write them: groups that hold groups and datasets, and attributes of
// both.
//
//   const io::Hdf5File file = io::open_hdf5("model.weights.h5");
//   for (const io::Hdf5Group& layer : file.root().find_group("layers")->groups) ...
//   file.read("layers/dense/vars/0")                          // an array
//
//   io::Hdf5Group root;
//   root.add_dataset("layers/dense/vars/0", DType::f32, {784, 10});
//   root.add_group("layers/dense").set("name", Literal::scalar("dense"));
//   io::write_hdf5("model.weights.h5", root, [&](const std::string& path, const auto&) {
//     return weights[path];
//   });
//
// libhdf5 does the work, in a process of its own (start_worker.h): files of others are known to
// crash it. A build without it says so, as an Unimplemented, when a file is opened or written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace io {

class FileBytes;

// Numbers or strings, with as many axes as it has. Attributes of other types, which a
// file may have, are left out.
struct Hdf5Attribute {
  std::string name;
  Literal value;
};

// The array itself is read by Hdf5File::read, and given to write_hdf5 by a function.
struct Hdf5Dataset {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::vector<Hdf5Attribute> attributes;
  // In a file that was read: why its array cannot be; empty where it can.
  std::string unreadable;
  size_t number = 0;  // for Hdf5File::read

  const Literal* attribute(std::string_view name) const;
  // Replaces the attribute, or adds it.
  void set(std::string_view name, Literal value);
};

// A member of a group that is not followed: a link to another file, or to another place of this
// one.
struct Hdf5Link {
  std::string name, why;
};

// Members stand in the order of their names' bytes in a file that was read ("10" before "2").
struct Hdf5Group {
  std::string name;  // empty: the root
  std::vector<Hdf5Attribute> attributes;
  std::vector<Hdf5Group> groups;
  std::vector<Hdf5Dataset> datasets;
  std::vector<Hdf5Link> links;  // of a file that was read

  // By names with '/' between; null where there is none. The group of "" is this one.
  const Hdf5Group* find_group(std::string_view path) const;
  const Hdf5Dataset* find_dataset(std::string_view path) const;
  const Literal* attribute(std::string_view name) const;

  // Those on the way are made where they are missing. A reference is good until the next call.
  Hdf5Group& add_group(std::string_view path);
  Hdf5Dataset& add_dataset(std::string_view path, DType dtype, Shape shape);
  void set(std::string_view name, Literal value);
};

// A list of strings in attributes, in as many as it needs: NAME, or NAME0, NAME1 and so on where
// one would be longer than HDF5 allows (64 KB), as Keras's "weight_names" are. Nothing where there
// is neither.
std::optional<std::vector<std::string>> hdf5_strings(const Hdf5Group& group, std::string_view name);
void set_hdf5_strings(Hdf5Group& group, std::string_view name,
                      const std::vector<std::string>& strings);

// An open file. Copies are the same file. Functions may be called by several threads; the file must
// not change meanwhile.
class Hdf5File {
 public:
  const std::string& path() const;
  const Hdf5Group& root() const;

  // The array of a dataset of root(). Where its numbers lie in the file as they lie in an array,
  // which they do in Keras's files, it is a view of the file; else libhdf5 unpacks them. One that
  // is unreadable is an Unimplemented that says why; one that claims more than 256 MiB and a
  // hundred times what is stored a ResourceExhausted; damage a DataLoss.
  Literal read(const Hdf5Dataset& dataset,
               SourceLocation location = SourceLocation::current()) const;
  // The same by path; one that is not there is a NotFound.
  Literal read(std::string_view path, SourceLocation location = SourceLocation::current()) const;

  struct State;
  explicit Hdf5File(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

struct OpenHdf5Options {
  // The part of the file that is the HDF5 file: a stored member of an archive.
  uint64_t offset = 0;
  std::optional<uint64_t> bytes = std::nullopt;  // nothing: to the end
};

// Reads what is in a file but its arrays. Local or remote (gs://, https://), which is read whole.
//
// A DataLoss that names the file: what is no HDF5 file or is damaged, however libhdf5 takes it;
// more than 200,000 groups and datasets, more than 200 groups in each other, two ways to one group
// (a cycle), attributes of more than 64 MB in all; a file that takes its reader more than three
// seconds of processor time and one a 16 MB.
Hdf5File open_hdf5(const std::string& path, const OpenHdf5Options& options = {},
                   SourceLocation location = SourceLocation::current());
// The same of a file that is open.
Hdf5File open_hdf5(std::shared_ptr<const FileBytes> file, const std::string& path,
                   const OpenHdf5Options& options = {},
                   SourceLocation location = SourceLocation::current());
// The same of bytes in memory that `owner` keeps; `path` is for errors.
Hdf5File open_hdf5_bytes(std::string_view bytes, std::shared_ptr<const void> owner,
                         const std::string& path,
                         SourceLocation location = SourceLocation::current());

// Gives the array of a dataset, whose path in the file is "layers/dense/vars/0".
using Hdf5Values = std::function<Literal(const std::string& path, const Hdf5Dataset& dataset)>;

// A new file of these groups, datasets and attributes, before the arrays are there. Arrays of
// numbers lie whole and unpacked, types and strings as h5py writes them; bf16, which HDF5 does not
// have, as Keras does: two bytes without a type, and the attribute dtype "bfloat16".
//
// An InvalidArgument: names that are empty, given twice, "." or hold a '/' or a zero byte; strings
// that hold a zero byte; arrays of i4, u4, f8 or strings; an attribute that takes more than 64,512
// bytes (a list of more than 4,032 strings).
class Hdf5Layout {
 public:
  explicit Hdf5Layout(const Hdf5Group& root, SourceLocation location = SourceLocation::current());
  ~Hdf5Layout();
  Hdf5Layout(Hdf5Layout&&) noexcept;

  uint64_t bytes() const;
  // Gives the file's bytes in their order, piece by piece. `values` is asked for one array at a
  // time, in the order in which they lie; one of another type or shape is an InvalidArgument.
  using Sink = std::function<void(const void* data, size_t size)>;
  void write(const Sink& sink, const Hdf5Values& values,
             SourceLocation location = SourceLocation::current()) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

// Atomic: a reader sees the old file or the new one.
void write_hdf5(const std::string& path, const Hdf5Group& root, const Hdf5Values& values,
                SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
