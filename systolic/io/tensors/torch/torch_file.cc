#include "systolic/io/tensors/torch/torch_file.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/io/files/file_bytes.h"
#include "systolic/io/tensors/git_lfs.h"
#include "systolic/io/tensors/stored_literal.h"
#include "systolic/io/tensors/torch/torch_archive.h"
#include "systolic/io/tensors/torch/torch_tensors.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr auto is_known = [](std::string_view global) { return is_torch_global(global); };

// A place within the file.
FileBytes::Piece piece_of(const FileBytes& file, const std::string& path, uint64_t offset,
                          uint64_t bytes, SourceLocation location = {}) {
  FileBytes::Piece piece = file.read(offset, bytes);
  if (piece.size != bytes) raise_damaged_torch_file(path, "it was cut while it was read", location);
  return piece;
}

// After the pickles of a file from before PyTorch 1.6: for each storage its number of elements,
// then the elements.
class LegacyStorages : public TorchStorages {
 public:
  LegacyStorages(std::shared_ptr<const FileBytes> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  void add(const std::string& key, uint64_t offset, uint64_t size) {
    places_[key] = {offset, size};
  }
  uint64_t size(const std::string& key) const override {
    const auto place = places_.find(key);
    return place == places_.end() ? 0 : place->second.second;
  }
  TorchStorage read(const std::string& key, uint64_t offset, uint64_t bytes) const override {
    const FileBytes::Piece piece = piece_of(*file_, path_, places_.at(key).first + offset, bytes);
    return {piece.data, piece.owner};
  }

 private:
  std::shared_ptr<const FileBytes> file_;
  std::string path_;
  std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> places_;
};

// From the first element to the end of the last.
uint64_t spanned_bytes(const TorchTensor& tensor) {
  uint64_t last = 0;
  for (size_t axis = 0; axis < tensor.strides.size(); ++axis) {
    last +=
        static_cast<uint64_t>(tensor.info.shape[static_cast<int>(axis)] - 1) * tensor.strides[axis];
  }
  return (last + 1) * static_cast<uint64_t>(byte_width(tensor.info.dtype));
}

// Elements that are not contiguous, made so.
Literal gather(const TorchTensor& tensor, const std::byte* data) {
  const Shape& shape = tensor.info.shape;
  const auto width = static_cast<size_t>(byte_width(tensor.info.dtype));
  Literal result(tensor.info.dtype, shape);
  std::byte* out = result.mutable_raw();
  const auto row = static_cast<size_t>(shape[-1]);
  const size_t step = tensor.strides.back() * width;
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()) - 1, 0);
  const Shape outer = shape.without(-1);
  do {
    size_t at = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      at += static_cast<size_t>(index[axis]) * tensor.strides[axis] * width;
    for (size_t i = 0; i < row; ++i, out += width) std::memcpy(out, data + at + i * step, width);
  } while (next_index(outer, index));
  return stored_literal(tensor.info, result.raw(), std::make_shared<const Literal>(result));
}

class TorchFile : public TensorFile {
 public:
  TorchFile(std::string path, std::vector<TorchTensor> tensors,
            std::unique_ptr<const TorchStorages> storages, SourceLocation location)
      : path_(std::move(path)), tensors_(std::move(tensors)), storages_(std::move(storages)) {
    for (const TorchTensor& tensor : tensors_) {
      infos_.push_back(tensor.info);
      const uint64_t size = storages_->size(tensor.storage);
      if (tensor.storage_bytes <= size) continue;
      raise_damaged_torch_file(path_,
                               str("the storage of tensor '", tensor.info.name, "' has ", size,
                                   " bytes instead of ", tensor.storage_bytes),
                               location);
    }
  }

  const std::string& path() const override { return path_; }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  const std::map<std::string, std::string>& metadata() const override {
    static const std::map<std::string, std::string> none;
    return none;
  }
  Literal read(size_t i, SourceLocation) const override {
    const TorchTensor& tensor = tensors_.at(i);
    if (tensor.info.byte_size() == 0) return Literal(tensor.info.dtype, tensor.info.shape);
    const uint64_t begin = tensor.offset * static_cast<uint64_t>(byte_width(tensor.info.dtype));
    const uint64_t bytes = tensor.contiguous ? tensor.info.byte_size() : spanned_bytes(tensor);
    const TorchStorage storage = storages_->read(tensor.storage, begin, bytes);
    return tensor.contiguous ? stored_literal(tensor.info, storage.data, storage.owner)
                             : gather(tensor, storage.data);
  }

 private:
  std::string path_;
  std::vector<TorchTensor> tensors_;
  std::vector<TensorInfo> infos_;
  std::unique_ptr<const TorchStorages> storages_;
};

// What the root of a pickle is read as: torch_tensors, or one tensor.
using Tensors = std::vector<TorchTensor> (*)(const PickleValue& root, const std::string& name,
                                             SourceLocation location);

std::shared_ptr<const TensorFile> open_zip(const std::shared_ptr<const FileBytes>& file,
                                           const std::string& path, Tensors tensors_of,
                                           SourceLocation location) {
  auto storages = std::make_unique<TorchArchive>(file, path, location);
  const ZipReader::Content bytes = storages->pickle();
  const Pickle pickle(bytes.bytes, path, is_known, location);
  auto tensors = tensors_of(pickle.root(), path, location);
  return std::make_shared<const TorchFile>(path, std::move(tensors), std::move(storages), location);
}

// A file from before PyTorch 1.6: pickles of a magic number, a version, the machine, the object,
// and the keys of its storages, which follow in this order.
class LegacyReader {
 public:
  LegacyReader(std::shared_ptr<const FileBytes> file, const std::string& path,
               SourceLocation location)
      : file_(std::move(file)), path_(path), location_(location) {}

  std::shared_ptr<const TensorFile> read() {
    next();  // the magic number, which open_torch_file knows it by
    next();  // the version, 1001 ever since
    const Pickle machine = next();
    const PickleValue* little = machine.root().find("little_endian");
    if (little == nullptr || little->integer != 1)
      raise_damaged_torch_file(path_, "it comes from a big-endian machine", location_);
    const Pickle object = next();
    std::vector<TorchTensor> tensors = torch_tensors(object.root(), path_, location_);
    const Pickle keys = next();
    return std::make_shared<const TorchFile>(path_, tensors, storages(keys.root(), tensors),
                                             location_);
  }

 private:
  // How long it is, only reading it shows.
  Pickle next() {
    constexpr uint64_t first = 1 << 20, most = 256 << 20, growth = 16;
    const uint64_t left = file_->size() - at_;
    for (uint64_t asked = first;; asked *= growth) {
      const uint64_t bytes = std::min(asked, left);
      pieces_.push_back(piece_of(*file_, path_, at_, bytes, location_));
      const std::string_view text(reinterpret_cast<const char*>(pieces_.back().data), bytes);
      try {
        Pickle pickle(text, path_, is_known, location_);
        at_ += pickle.size();
        return pickle;
      } catch (const DataLoss&) {
        if (bytes == left || asked >= most) throw;
      }
      pieces_.pop_back();
    }
  }
  std::unique_ptr<const TorchStorages> storages(const PickleValue& keys,
                                                const std::vector<TorchTensor>& tensors) {
    std::unordered_map<std::string, uint64_t> bytes_of;
    for (const TorchTensor& tensor : tensors)
      bytes_of.emplace(tensor.storage, tensor.storage_bytes);
    auto result = std::make_unique<LegacyStorages>(file_, path_);
    for (const PickleValue* item : keys.items) {
      const auto bytes = bytes_of.find(std::string(item->text));
      if (!item->is(PickleValue::Kind::text) || bytes == bytes_of.end())
        raise_damaged_torch_file(path_, "it holds a storage without tensors", location_);
      uint64_t count = 0;
      if (file_->size() - at_ < sizeof(count))
        raise_damaged_torch_file(path_, "it ends too early", location_);
      std::memcpy(&count, piece_of(*file_, path_, at_, sizeof(count), location_).data,
                  sizeof(count));
      at_ += sizeof(count);
      const bool fits = count == 0 ? bytes->second == 0 : bytes->second % count == 0;
      if (!fits || bytes->second > file_->size() - at_)
        raise_damaged_torch_file(path_, str("a storage of ", count, " elements at byte ", at_),
                                 location_);
      result->add(bytes->first, at_, bytes->second);
      at_ += bytes->second;
    }
    return result;
  }

  std::shared_ptr<const FileBytes> file_;
  const std::string& path_;
  SourceLocation location_;
  std::vector<FileBytes::Piece> pieces_;  // with the pickles that were read
  uint64_t at_ = 0;
};

}  // namespace

std::shared_ptr<const TensorFile> open_torch_file(const std::string& path,
                                                  SourceLocation location) {
  auto file = std::make_shared<const FileBytes>(path, location);
  constexpr uint64_t looked_at = 1024;
  const FileBytes::Piece first = file->read(0, std::min(file->size(), looked_at));
  const std::string_view bytes(reinterpret_cast<const char*>(first.data), first.size);
  if (bytes.starts_with("PK\x03\x04")) return open_zip(file, path, torch_tensors, location);
  constexpr std::string_view magic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.");
  if (bytes.starts_with(magic)) return LegacyReader(std::move(file), path, location).read();
  check_no_git_lfs_pointer(path, bytes, location);
  raise_damaged_torch_file(
      path, "it starts neither as a ZIP archive nor as PyTorch's files before 1.6", location);
}

Literal read_torch_tensor(const std::string& path, SourceLocation location) {
  return open_zip(std::make_shared<const FileBytes>(path, location), path, torch_tensor, location)
      ->read(0, location);
}

}  // namespace io
}  // namespace systolic::inline v0
