// Files of models: HDF5, which its worker reads, and TensorFlow's checkpoints.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "systolic/base/protobuf/wire.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/io/tensor_bundle/object_graph.h"
#include "systolic/io/tensor_bundle/sorted_table.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

void read_all(const io::Hdf5File& file, const io::Hdf5Group& group) {
  for (const io::Hdf5Dataset& dataset : group.datasets) {
    attempt([&] { file.read(dataset); });
  }
  for (const io::Hdf5Group& child : group.groups) read_all(file, child);
}

class FileOfBytes : public io::ReadableFile {
 public:
  FileOfBytes(std::string path, std::string bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  std::optional<uint64_t> size() const override { return bytes_.size(); }
  size_t read(void* buffer, size_t size) override {
    const size_t count = read_at(at_, buffer, size);
    at_ += count;
    return count;
  }
  size_t read_at(uint64_t offset, void* buffer, size_t size) override {
    if (offset >= bytes_.size()) return 0;
    const size_t count = std::min<size_t>(size, bytes_.size() - offset);
    std::memcpy(buffer, bytes_.data() + offset, count);
    return count;
  }

 private:
  std::string path_, bytes_;
  size_t at_ = 0;
};

// Two files: "fuzz://x.index", and the same numbers under every other name.
class TwoFiles : public io::FileSystem {
 public:
  std::string index, numbers;
  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation) override {
    return std::make_unique<FileOfBytes>(path, path.ends_with(".index") ? index : numbers);
  }
  std::unique_ptr<io::WritableFile> create(const std::string&, SourceLocation) override {
    return nullptr;
  }
  std::optional<io::FileStatus> status(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> list(const std::string&, size_t, SourceLocation) override { return {}; }
  void remove(const std::string&, SourceLocation) override {}
  void rename(const std::string&, const std::string&, SourceLocation) override {}
};

void read_bundle(std::string index, std::string_view numbers) {
  static const auto files = [] {
    auto both = std::make_shared<TwoFiles>();
    io::register_file_system("fuzz", both);
    return both;
  }();
  files->index = std::move(index);
  files->numbers = numbers;
  attempt([&] {
    const auto opened = io::open_tensor_bundle("fuzz://x");
    for (size_t i = 0; i < opened->tensors().size(); ++i) {
      attempt([&] { opened->read(i); });
    }
    attempt([&] { io::read_object_graph(*opened); });
  });
}

}  // namespace

void h5(std::string_view bytes) {
  attempt([&] {
    const io::Hdf5File file = io::open_hdf5_bytes(bytes, nullptr, "fuzz");
    read_all(file, file.root());
  });
}

void bundle(std::string_view bytes) {
  read_bundle(std::string(bytes), bytes);
  attempt([&] { io::encode_object_graph(io::parse_object_graph(bytes, "fuzz")); });
  // Names and entries, each after its length, so that checksums of the table are right.
  protobuf::WireReader reader(bytes);
  std::map<std::string_view, std::string_view> entries;
  std::string_view name, entry;
  while (reader.read_bytes(name) && reader.read_bytes(entry)) entries[name] = entry;
  io::SortedTableWriter table;
  for (const auto& [key, value] : entries) table.add(key, value);
  read_bundle(table.finish(), bytes);
}

}  // namespace fuzz
