#include "systolic/io/tensors/safetensors.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/files/file_bytes.h"
#include "systolic/io/tensors/git_lfs.h"
#include "systolic/io/tensors/safetensors_header.h"
#include "systolic/io/tensors/stored_literal.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint64_t length_bytes = 8;  // of the header's length, which comes first

class SafetensorsFile : public TensorFile {
 public:
  SafetensorsFile(const std::string& path, SourceLocation location)
      : path_(path), bytes_(path, location) {
    if (bytes_.size() < length_bytes)
      fail("HeaderTooSmall", str(bytes_.size(), " bytes are not a safetensors file"), location);
    uint64_t size = 0;
    const FileBytes::Piece first = piece(0, length_bytes, location);
    check_no_other_format({reinterpret_cast<const char*>(first.data), length_bytes}, location);
    std::memcpy(&size, first.data, length_bytes);
    if (size > most_safetensors_header_bytes) {
      fail("HeaderTooLarge",
           str("a header of ", size, " bytes, at most ", most_safetensors_header_bytes,
               " are allowed"),
           location);
    }
    if (size > bytes_.size() - length_bytes) {
      fail("InvalidHeaderLength", str("a header of ", size, " bytes in a file of ", bytes_.size()),
           location);
    }
    data_begin_ = length_bytes + size;
    const FileBytes::Piece text = piece(length_bytes, size, location);
    header_ = parse_safetensors_header({reinterpret_cast<const char*>(text.data), size},
                                       bytes_.size() - data_begin_, path, location);
  }

  const std::string& path() const override { return path_; }
  const std::vector<TensorInfo>& tensors() const override { return header_.tensors; }
  const std::map<std::string, std::string>& metadata() const override { return header_.metadata; }

  Literal read(size_t i, SourceLocation location) const override {
    const TensorInfo& tensor = header_.tensors.at(i);
    const uint64_t begin = data_begin_ + header_.offsets[i], size = tensor.byte_size();
    if (bytes_.descriptor() < 0) {  // a server may claim what it does not have
      const FileBytes::Piece from = piece(begin, size, location);
      return stored_literal(tensor, from.data, from.owner);
    }
    Literal array(tensor.dtype, tensor.shape);
    const uint64_t count = size == 0 ? 0 : bytes_.read_to(begin, array.mutable_raw(), size);
    if (count < size) fail_cut(begin + count, location);
    make_bools(array);
    return array;
  }
  void each_piece(size_t i, const SeePiece& see, SourceLocation location) const override {
    constexpr uint64_t most = 256 << 10;  // stays in a processor's cache
    const TensorInfo& tensor = header_.tensors.at(i);
    const uint64_t size = tensor.byte_size();
    std::vector<std::byte> bytes(std::min(size, most));
    for (uint64_t done = 0; done < size;) {
      const uint64_t wanted = std::min(most, size - done);
      const uint64_t begin = data_begin_ + header_.offsets[i] + done;
      const uint64_t count = bytes_.read_to(begin, bytes.data(), wanted);
      if (count < wanted) fail_cut(begin + count, location);
      see(bytes.data(), wanted);
      done += wanted;
    }
  }

 private:
  // Files of other programs are not damaged.
  void check_no_other_format(std::string_view first, SourceLocation location) const {
    check_no_git_lfs_pointer(path_, first, location);
    const bool hdf5 = first == "\x89HDF\r\n\x1a\n", zip = first.substr(0, 4) == "PK\x03\x04";
    if (!hdf5 && !zip) return;
    raise<InvalidArgument>(
        {.what = str("'", path_, "' is ",
                     hdf5 ? "an HDF5 file, as Keras writes .h5"
                          : "a ZIP archive, such as Keras's .keras, NumPy's .npz or PyTorch's .pt"),
         .wanted = "a safetensors file",
         .hint =
             "write the arrays with safetensors.numpy.save_file in Python, under the names that "
             "save_weights gives them",
         .location = location});
  }
  [[noreturn]] void fail(std::string_view check, const std::string& what,
                         SourceLocation location) const {
    raise_bad_safetensors(path_, check, what, location);
  }
  FileBytes::Piece piece(uint64_t offset, uint64_t size, SourceLocation location) const {
    FileBytes::Piece result = bytes_.read(offset, size);
    if (result.size != size) fail_cut(offset + result.size, location);
    return result;
  }
  [[noreturn]] void fail_cut(uint64_t end, SourceLocation location) const {
    fail("InvalidOffset", str("the file was cut at or before byte ", end, " of ", bytes_.size()),
         location);
  }

  std::string path_;
  FileBytes bytes_;
  uint64_t data_begin_ = 0;
  SafetensorsHeader header_;
};

}  // namespace

std::shared_ptr<const TensorFile> open_safetensors(const std::string& path,
                                                   SourceLocation location) {
  return std::make_shared<const SafetensorsFile>(path, location);
}

Safetensors read_safetensors(const std::string& path, SourceLocation location) {
  const auto file = open_safetensors(path, location);
  Example::Components tensors;
  for (size_t i = 0; i < file->tensors().size(); ++i)
    tensors.push_back({file->tensors()[i].name, file->read(i, location)});
  return {Example(std::move(tensors)), file->metadata()};
}

}  // namespace io
}  // namespace systolic::inline v0
