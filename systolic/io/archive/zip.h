// ZIP archives (PKWARE's APPNOTE 6.3), as far as .npz and PyTorch's files need them: stored and
// deflated members, more than 4 GiB too (ZIP64).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/files/file.h"

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

  // Takes the archive's bytes; `path` is for errors. DataLoss for a directory that does not fit the
  // bytes, a name that appears twice, and members that overlap.
  ZipReader(std::string archive, std::string path);
  ZipReader(std::shared_ptr<const MappedFile> archive, std::string path);
  const std::vector<Member>& members() const { return members_; }

  // The member's content, its checksum verified; for a stored member a view into the archive.
  // ResourceExhausted for a member that claims more than 4 GiB and a hundred times its compressed
  // size, Unimplemented for an encrypted one.
  Content extract(const Member& member) const;
  // A stored member's content, unchecked, to look at its beginning; "" for a deflated one.
  std::string_view stored_bytes(const Member& member) const;

 private:
  struct Directory {
    uint64_t members = 0, offset = 0;
  };
  Directory find_directory() const;
  void read_directory();
  void check_places() const;
  Member read_entry(uint64_t at) const;
  std::string_view compressed(const Member& member) const;
  uint64_t number(uint64_t at, int bytes) const;
  [[noreturn]] void damaged(std::string_view what) const;
  std::shared_ptr<const void> owner_;
  std::string_view archive_;
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
