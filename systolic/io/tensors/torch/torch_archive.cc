#include "systolic/io/tensors/torch/torch_archive.h"

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace io {

void raise_damaged_torch_file(const std::string& path, const std::string& what,
                              SourceLocation location) {
  raise<DataLoss>({.what = str("PyTorch file '", path, "': ", what),
                   .hint = "the file is damaged or forged: fetch or write it again",
                   .location = location});
}

TorchArchive::TorchArchive(const std::shared_ptr<const FileBytes>& file, const std::string& path,
                           SourceLocation location)
    : zip_(file, path), path_(path), location_(location) {
  constexpr std::string_view pickle = "data.pkl";
  for (const ZipReader::Member& member : zip_.members()) {
    members_.emplace(member.name, &member);
    const bool found = member.name == pickle || member.name.ends_with("/data.pkl");
    if (found && pickle_ == nullptr) {
      pickle_ = &member;
      prefix_ = member.name.substr(0, member.name.size() - pickle.size());
    }
  }
  if (pickle_ == nullptr)
    raise_damaged_torch_file(path, "a ZIP archive without data.pkl", location);
  const auto order = members_.find(prefix_ + "byteorder");
  if (order != members_.end() && extract(*order->second).bytes != "little") {
    raise<Unimplemented>({.what = str("PyTorch file '", path, "' of a big-endian machine"),
                          .hint = "save it as safetensors there",
                          .location = location});
  }
}

uint64_t TorchArchive::size(const std::string& key) const {
  const auto member = members_.find(member_name(key));
  return member == members_.end() ? 0 : member->second->bytes;
}

TorchStorage TorchArchive::read(const std::string& key, uint64_t offset, uint64_t bytes) const {
  const ZipReader::Member& member = *members_.at(member_name(key));
  if (!zip_.place(member)) {
    const std::lock_guard lock(mutex_);
    auto content = unpacked_.find(key);
    if (content == unpacked_.end()) content = unpacked_.emplace(key, extract(member)).first;
    return {reinterpret_cast<const std::byte*>(content->second.bytes.data()) + offset,
            content->second.owner};
  }
  {
    const std::lock_guard lock(mutex_);
    if (checked_.insert(key).second) zip_.check(member);
  }
  ZipReader::Content piece = zip_.read(member, offset, bytes);
  return {reinterpret_cast<const std::byte*>(piece.bytes.data()), std::move(piece.owner)};
}

std::string TorchArchive::member_name(const std::string& key) const {
  return str(prefix_, "data/", key);
}

// PyTorch does not compress: what grows much was made to fill the memory.
ZipReader::Content TorchArchive::extract(const ZipReader::Member& member) const {
  if (unpacks_to_too_much(member.bytes, member.compressed_bytes)) {
    raise<ResourceExhausted>(
        {.what = str("PyTorch file '", path_, "': member '", excerpt(member.name, 100), "' claims ",
                     member.bytes, " bytes from ", member.compressed_bytes),
         .wanted = "at most 256 MiB, or a hundred times what is stored",
         .hint = "the file was made to fill the memory; if not, save it again with torch.save",
         .location = location_});
  }
  return zip_.extract(member);
}

}  // namespace io
}  // namespace systolic::inline v0
