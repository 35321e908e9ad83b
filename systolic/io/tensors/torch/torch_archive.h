// The ZIP archives that PyTorch 1.6 and newer keeps tensors in: NAME/data.pkl, the pickle, and
// NAME/data/KEY, the storages. Internal to io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "systolic/base/source_location.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file_bytes.h"

namespace systolic::inline v0 {
namespace io {

// Throws the DataLoss of a PyTorch file.
[[noreturn]] void raise_damaged_torch_file(const std::string& path, const std::string& what,
                                           SourceLocation location);

// Numbers of one storage.
struct TorchStorage {
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;
};

// Where the storages of a file lie.
class TorchStorages {
 public:
  virtual ~TorchStorages() = default;
  // Bytes; 0 where there is no such storage.
  virtual uint64_t size(const std::string& key) const = 0;
  // Bytes of it, the first at `offset`: within its size. DataLoss where the file has become
  // shorter.
  virtual TorchStorage read(const std::string& key, uint64_t offset, uint64_t bytes) const = 0;
};

class TorchArchive : public TorchStorages {
 public:
  // DataLoss for an archive without a pickle, Unimplemented for one of a big-endian machine.
  TorchArchive(const std::shared_ptr<const FileBytes>& file, const std::string& path,
               SourceLocation location);

  ZipReader::Content pickle() const { return extract(*pickle_); }
  uint64_t size(const std::string& key) const override;
  // A storage is checked and, where it is compressed, decompressed once, however many tensors lie
  // in it.
  TorchStorage read(const std::string& key, uint64_t offset, uint64_t bytes) const override;

 private:
  std::string member_name(const std::string& key) const;
  ZipReader::Content extract(const ZipReader::Member& member) const;

  ZipReader zip_;
  std::string path_;
  SourceLocation location_;
  std::unordered_map<std::string, const ZipReader::Member*> members_;
  const ZipReader::Member* pickle_ = nullptr;
  std::string prefix_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, ZipReader::Content> unpacked_;
  mutable std::unordered_set<std::string> checked_;  // those that are stored
};

}  // namespace io
}  // namespace systolic::inline v0
