#include "systolic/io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/byte_source.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint32_t local_signature = 0x04034b50, directory_signature = 0x02014b50,
                   end_signature = 0x06054b50;
constexpr uint64_t local_bytes = 30, directory_entry_bytes = 46, end_bytes = 22;
constexpr uint16_t stored = 0, deflated = 8;

uint32_t crc32_of(std::string_view bytes) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void append(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
}

}  // namespace

ZipReader::ZipReader(std::string archive, std::string path)
    : archive_(std::move(archive)), path_(std::move(path)) {
  read_directory();
}

void ZipReader::damaged(std::string_view what) const {
  raise<DataLoss>({.what = str("ZIP archive '", path_, "': ", what),
                   .hint = "the file is damaged: write it again"});
}

uint64_t ZipReader::number(uint64_t at, int bytes) const {
  if (at > archive_.size() || archive_.size() - at < static_cast<uint64_t>(bytes))
    damaged("it ends too early");
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= uint64_t{static_cast<unsigned char>(archive_[at + static_cast<uint64_t>(i)])} << 8 * i;
  }
  return value;
}

void ZipReader::read_directory() {
  // The end record is last, but for a comment of up to 65,535 bytes.
  const std::string signature("PK\x05\x06");
  const size_t end = archive_.rfind(signature);
  if (end == std::string::npos || archive_.size() - end > end_bytes + 65535)
    damaged("it has no directory");
  number(end + end_bytes, 0);
  const uint64_t count = number(end + 10, 2);
  uint64_t at = number(end + 16, 4);
  for (uint64_t i = 0; i < count; ++i) {
    if (number(at, 4) != directory_signature) damaged("its directory is broken");
    Member member;
    member.method = static_cast<uint16_t>(number(at + 10, 2));
    member.crc = static_cast<uint32_t>(number(at + 16, 4));
    member.compressed_bytes = number(at + 20, 4);
    member.bytes = number(at + 24, 4);
    member.offset = number(at + 42, 4);
    const uint64_t name_bytes = number(at + 28, 2), extra_bytes = number(at + 30, 2),
                   comment_bytes = number(at + 32, 2);
    number(at + directory_entry_bytes + name_bytes + extra_bytes, 0);
    member.name = archive_.substr(at + directory_entry_bytes, name_bytes);
    // Sizes of 4 GiB and more stand in the extra field with identifier 1, in this order.
    uint64_t extra = at + directory_entry_bytes + name_bytes;
    const uint64_t extra_end = extra + extra_bytes;
    while (extra + 4 <= extra_end) {
      const uint64_t size = number(extra + 2, 2);
      uint64_t value = extra + 4;
      if (number(extra, 2) == 1) {
        for (uint64_t* field : {&member.bytes, &member.compressed_bytes, &member.offset}) {
          if (*field != UINT32_MAX) continue;
          *field = number(value, 8);
          value += 8;
        }
      }
      extra += 4 + size;
    }
    for (const Member& other : members_) {
      if (other.name == member.name) damaged(str("it has two members named '", member.name, "'"));
    }
    members_.push_back(std::move(member));
    at += directory_entry_bytes + name_bytes + extra_bytes + comment_bytes;
  }
}

std::string ZipReader::extract(const Member& member) const {
  if (number(member.offset, 4) != local_signature)
    damaged(str("member '", member.name, "' is not where it should be"));
  const uint64_t start =
      member.offset + local_bytes + number(member.offset + 26, 2) + number(member.offset + 28, 2);
  if (start > archive_.size() || member.compressed_bytes > archive_.size() - start) {
    damaged(str("member '", member.name, "' ends behind the file"));
  }
  constexpr uint64_t suspicious_bytes = uint64_t{1} << 32, suspicious_ratio = 100;
  if (member.bytes > suspicious_bytes &&
      member.bytes / suspicious_ratio > member.compressed_bytes) {
    raise<ResourceExhausted>(
        {.what = str("ZIP archive '", path_, "': member '", member.name, "' claims ", member.bytes,
                     " bytes from ", member.compressed_bytes)});
  }
  const std::string_view raw = std::string_view(archive_).substr(start, member.compressed_bytes);
  std::string bytes;
  if (member.method == deflated) {
    // Deflate cannot shrink by more than 1,032: a larger claim is a lie, refused before memory is
    // taken for it.
    if (member.bytes / 1032 > member.compressed_bytes)
      damaged(str("member '", member.name, "' has a forged size"));
    bytes = inflate_raw(raw, member.bytes, str(path_, ":", member.name));
  } else if (member.method == stored && member.bytes == member.compressed_bytes) {
    bytes = raw;
  } else {
    damaged(str("member '", member.name, "' has compression method ", member.method,
                " or forged sizes"));
  }
  if (crc32_of(bytes) != member.crc) damaged(str("member '", member.name, "' fails its checksum"));
  return bytes;
}

ZipWriter::ZipWriter(const std::string& path, SourceLocation location) : file_(path, location) {}

void ZipWriter::add(const std::string& name, std::string_view bytes) {
  if (bytes.size() >= UINT32_MAX || offset_ + bytes.size() >= UINT32_MAX) {
    raise<Unimplemented>({.what = str("ZIP archive '", file_.path(), "' of 4 GiB or more"),
                          .hint = "use several files, or .npy files, or safetensors"});
  }
  std::string common;  // what the local header and the directory share
  append(common, 20, 2);
  append(common, 0, 2);
  append(common, stored, 2);
  append(common, 0, 2);     // time
  append(common, 0x21, 2);  // 1980-01-01: the same input gives the same file
  append(common, crc32_of(bytes), 4);
  append(common, bytes.size(), 4);
  append(common, bytes.size(), 4);
  append(common, name.size(), 2);
  append(common, 0, 2);
  std::string header;
  append(header, local_signature, 4);
  header += common + name;
  file_.write(header);
  file_.write(bytes);
  append(directory_, directory_signature, 4);
  append(directory_, 20, 2);
  directory_ += common;
  directory_.append(10, '\0');  // comment, disk, attributes: none
  append(directory_, offset_, 4);
  directory_ += name;
  offset_ += header.size() + bytes.size();
  ++members_;
}

void ZipWriter::close() {
  std::string end;
  append(end, end_signature, 4);
  append(end, 0, 4);
  append(end, members_, 2);
  append(end, members_, 2);
  append(end, directory_.size(), 4);
  append(end, offset_, 4);
  append(end, 0, 2);
  file_.write(directory_);
  file_.write(end);
  file_.commit();
}

}  // namespace io
}  // namespace systolic::inline v0
