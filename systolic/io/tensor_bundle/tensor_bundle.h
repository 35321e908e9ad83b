// TensorFlow's checkpoints of version 2, "tensor bundles": what tf.train.Checkpoint writes and what
// lies in a SavedModel as variables/variables. PREFIX.index is a table of names, types and places,
// PREFIX.data-00000-of-00001 and so on hold the numbers (tensorflow/core/util/tensor_bundle).
//
//   const auto bundle = io::open_tensor_bundle("exported/variables/variables");
//   bundle->read(i)                                   // the i-th of bundle->tensors()
//
//   io::TensorBundleWriter writer("exported/variables/variables");
//   writer.add("dense/kernel/.ATTRIBUTES/VARIABLE_VALUE", kernel);
//   writer.close();                                   // tf.train.load_checkpoint reads it
//
// Which object of a model an array belongs to: io/tensor_bundle/object_graph.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/io/files/file.h"
#include "systolic/io/tensor_bundle/bundle_entry.h"
#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

class TensorBundle : public TensorFile {
 public:
  // The names of what is stored but is not an array here: iterators, hash tables, quantized
  // numbers.
  virtual const std::vector<std::string>& left_out() const = 0;
};

// Opens PREFIX.index (the path may also end so) and reads what it says; a file of numbers is opened
// by the first read of an array in it. Local or remote. tensors() stand in the order of their
// names; strings are among them, and "_CHECKPOINTABLE_OBJECT_GRAPH" is one. metadata() is empty.
//
// An array is a view of the file where its bytes are aligned; its checksum is verified when it is
// read. A variable that was saved in parts (a partitioned one) is joined. Errors name the
// file: a table that is damaged, entries whose size does not fit type and shape, places beyond the
// file, parts that overlap or leave holes, and wrong checksums are a DataLoss; a file that is
// missing is a NotFound; big-endian numbers and a table packed with Snappy an Unimplemented.
std::shared_ptr<const TensorBundle> open_tensor_bundle(
    const std::string& prefix, SourceLocation location = SourceLocation::current());

// Writes a bundle of one file of numbers, array by array, so that only one of them need be in
// memory. Both files get their names at close(), the numbers' first; without it nothing remains.
// A bundle that is there already is replaced in two steps: who must never see one without the other
// writes to a new prefix.
class TensorBundleWriter {
 public:
  explicit TensorBundleWriter(const std::string& prefix,
                              SourceLocation location = SourceLocation::current());

  // In any order. A name that is empty, starts with a zero byte or was given before, and tokens are
  // an InvalidArgument.
  void add(std::string_view name, const Literal& value,
           SourceLocation location = SourceLocation::current());
  void close();

 private:
  void put(const void* data, size_t size);
  void align();
  AtomicFile numbers_, index_;
  uint64_t offset_ = 0;
  std::map<std::string, BundleEntry, std::less<>> entries_;
};

}  // namespace io
}  // namespace systolic::inline v0
