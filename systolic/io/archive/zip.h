// ZIP archives (PKWARE's APPNOTE 6.3), as far as .npz and PyTorch's files need them: stored and
// deflated members, more than 4 GiB too (ZIP64).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/files/file.h"
#include "systolic/io/files/file_bytes.h"

namespace systolic::inline v0 {
namespace io {

class ZipReader {
 public:
  struct Member {
    std::string name;
    uint64_t compressed_bytes = 0, bytes = 0, offset = 0;
    uint32_t crc = 0;
    uint16_t method = 0, flags = 0;
    bool special = false;  // a link or a device of Unix
  };

  struct Content {
    std::string_view bytes;
    std::shared_ptr<const void> owner;  // keeps the bytes
  };

  // The archive's bytes, or the file, of which pieces are read as they are needed; `path` is for
  // errors. DataLoss for a directory that does not fit the bytes, a name that appears twice, and
  // members that overlap; later for a file that another program cuts.
  ZipReader(std::string archive, std::string path);
  ZipReader(std::shared_ptr<const FileBytes> archive, std::string path);
  const std::vector<Member>& members() const { return members_; }

  // The member's content, its checksum verified. ResourceExhausted for a member that claims more
  // than 4 GiB and a hundred times its compressed size, Unimplemented for an encrypted one.
  Content extract(const Member& member) const;

  // A stored member need not be in memory as a whole. Where its content begins in the archive;
  // nothing for a deflated one.
  std::optional<uint64_t> place(const Member& member) const;
  // Verifies the checksum of a stored member, piece by piece.
  void check(const Member& member) const;
  // Bytes of a stored member, unchecked: a place within it.
  Content read(const Member& member, uint64_t offset, uint64_t bytes) const;
  const std::shared_ptr<const FileBytes>& archive() const { return archive_; }

 private:
  class Window;
  struct Directory {
    uint64_t members = 0, offset = 0;
  };
  Directory find_directory() const;
  void read_directory();
  void check_places() const;
  static Member read_entry(Window& archive, uint64_t at);
  uint64_t begin_of(const Member& member) const;
  Content piece(uint64_t offset, uint64_t bytes) const;
  [[noreturn]] void damaged(std::string_view what) const;
  std::shared_ptr<const FileBytes> archive_;
  std::string path_;
  std::vector<Member> members_;
};

// Writes an archive of stored members, of any size (ZIP64 where they need it).
//
//   ZipWriter archive("model.zip");
//   archive.add("small.json", text);
//   archive.begin("large.bin", bytes);      // one that is not in memory as a whole
//   while (...) archive.write(piece.data(), piece.size());
//   archive.end();
//   archive.close();
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path, SourceLocation location = SourceLocation::current());
  void add(const std::string& name, std::string_view bytes);
  // A member of that many bytes, piece by piece; end() raises a FailedPrecondition where others
  // came.
  void begin(const std::string& name, uint64_t bytes);
  void write(const void* data, size_t size);
  void end();
  void close();

 private:
  struct Open {
    std::string name;
    uint64_t bytes = 0, written = 0;
    uint32_t crc = 0;
    bool crc_follows = false;  // after the member, for it is not known before
  };
  void begin(Open member);
  void put(std::string_view bytes);

  AtomicFile file_;
  Open open_;
  uint64_t begin_ = 0;  // of the open member
  std::string directory_;
  uint64_t offset_ = 0, members_ = 0;
};

}  // namespace io
}  // namespace systolic::inline v0
