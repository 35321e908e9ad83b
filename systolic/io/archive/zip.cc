#include "systolic/io/archive/zip.h"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint32_t local_signature = 0x04034b50, directory_signature = 0x02014b50,
                   end_signature = 0x06054b50, locator_signature = 0x07064b50,
                   wide_end_signature = 0x06064b50, descriptor_signature = 0x08074b50;
constexpr uint64_t local_bytes = 30, directory_entry_bytes = 46, end_bytes = 22, locator_bytes = 20;
constexpr uint16_t stored = 0, deflated = 8;

uint32_t crc32_of_piece(std::string_view bytes) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

constexpr size_t piece_bytes = 1 << 20;

// All threads share a large member, piece by piece: one alone takes a third of a model's loading.
// `read` gives bytes of it: a view, or what it has put into the buffer; "" where there are fewer.
using ReadPiece = std::function<std::string_view(uint64_t offset, uint64_t bytes, char* buffer)>;

// Nothing where a piece could not be read.
std::optional<uint32_t> crc32_of(uint64_t bytes, const ReadPiece& read) {
  std::vector<uint32_t> crcs(static_cast<size_t>((bytes + piece_bytes - 1) / piece_bytes));
  const auto size_of = [&](size_t i) {
    return std::min<uint64_t>(piece_bytes, bytes - uint64_t{i} * piece_bytes);
  };
  std::atomic<bool> whole{true};
  const auto add = [&](int64_t begin, int64_t end) {
    const std::unique_ptr<char[]> buffer(new char[piece_bytes]);
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end) && whole; ++i) {
      const std::string_view piece = read(uint64_t{i} * piece_bytes, size_of(i), buffer.get());
      if (piece.size() != size_of(i)) whole = false;
      crcs[i] = crc32_of_piece(piece);
    }
  };
  constexpr size_t few = 4;
  const auto count = static_cast<int64_t>(crcs.size());
  if (crcs.size() < few) {
    add(0, count);
  } else {
    ThreadPool::compute().parallel_for(count, 1, add);
  }
  if (!whole) return {};
  uint32_t all = ::crc32(0, nullptr, 0);
  for (size_t i = 0; i < crcs.size(); ++i) {
    all = static_cast<uint32_t>(::crc32_combine(all, crcs[i], static_cast<z_off_t>(size_of(i))));
  }
  return all;
}

uint32_t crc32_of(std::string_view bytes) {
  return *crc32_of(bytes.size(), [&](uint64_t offset, uint64_t size, char*) {
    return bytes.substr(offset, size);
  });
}

void append(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
}

}  // namespace

// Looks at numbers here and there; what lies around them is read with them.
class ZipReader::Window {
 public:
  explicit Window(const ZipReader& archive, uint64_t ahead = 64 << 10)
      : archive_(archive), ahead_(ahead) {}

  std::string_view text(uint64_t at, uint64_t bytes) {
    const uint64_t size = archive_.archive_->size();
    if (at > size || size - at < bytes) archive_.damaged("it ends too early");
    if (at < begin_ || at + bytes > begin_ + content_.bytes.size()) {
      content_ = archive_.piece(at, std::min(std::max(bytes, ahead_), size - at));
      begin_ = at;
    }
    return content_.bytes.substr(at - begin_, bytes);
  }
  uint64_t number(uint64_t at, int bytes) {
    uint64_t value = 0;
    const std::string_view digits = text(at, static_cast<uint64_t>(bytes));
    for (size_t i = 0; i < digits.size(); ++i)
      value |= uint64_t{static_cast<unsigned char>(digits[i])} << 8 * i;
    return value;
  }
  void expect(uint64_t at, uint32_t signature, std::string_view otherwise) {
    if (number(at, 4) != signature) archive_.damaged(otherwise);
  }

 private:
  const ZipReader& archive_;
  const uint64_t ahead_;
  Content content_;
  uint64_t begin_ = 0;
};

ZipReader::ZipReader(std::string archive, std::string path)
    : ZipReader(std::make_shared<const FileBytes>(
                    std::make_shared<const std::string>(std::move(archive))),
                std::move(path)) {}

ZipReader::ZipReader(std::shared_ptr<const FileBytes> archive, std::string path)
    : archive_(std::move(archive)), path_(std::move(path)) {
  read_directory();
}

void ZipReader::damaged(std::string_view what) const {
  raise<DataLoss>({.what = str("ZIP archive '", path_, "': ", what),
                   .hint = "the file is damaged: write it again"});
}

// A place within the archive.
ZipReader::Content ZipReader::piece(uint64_t offset, uint64_t bytes) const {
  FileBytes::Piece piece = archive_->read(offset, bytes);
  if (piece.size != bytes) damaged("it was cut while it was read");
  return {{reinterpret_cast<const char*>(piece.data), static_cast<size_t>(bytes)},
          std::move(piece.owner)};
}

ZipReader::Directory ZipReader::find_directory() const {
  // Only a comment of up to 65,535 bytes may follow the end record.
  const uint64_t size = archive_->size(), most = std::min(size, end_bytes + 65535);
  const size_t found = piece(size - most, most).bytes.rfind("PK\x05\x06");
  if (found == std::string_view::npos) damaged("it has no directory");
  const uint64_t end = size - most + found;
  Window window(*this);
  window.text(end, end_bytes);
  Directory directory{window.number(end + 10, 2), window.number(end + 16, 4)};
  const bool beyond = directory.members == UINT16_MAX || directory.offset == UINT32_MAX;
  // The place of ZIP64's end record, which has wider fields, stands before it.
  if (!beyond || end < locator_bytes || window.number(end - locator_bytes, 4) != locator_signature)
    return directory;
  const uint64_t wide_end = window.number(end - locator_bytes + 8, 8);
  if (window.number(wide_end, 4) != wide_end_signature) damaged("it has no directory");
  return {window.number(wide_end + 32, 8), window.number(wide_end + 48, 8)};
}

void ZipReader::read_directory() {
  const Directory directory = find_directory();
  uint64_t at = directory.offset;
  Window window(*this);
  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < directory.members; ++i) {
    members_.push_back(read_entry(window, at));
    const Member& member = members_.back();
    if (!names.insert(member.name).second)
      damaged(str("it has two members named '", member.name, "'"));
    at += directory_entry_bytes + window.number(at + 28, 2) + window.number(at + 30, 2) +
          window.number(at + 32, 2);
  }
  check_places();
}

// Each byte belongs to one member: together they cannot exceed the archive, and so memory is
// bounded.
void ZipReader::check_places() const {
  std::vector<std::pair<uint64_t, uint64_t>> places;  // begin, end
  const uint64_t size = archive_->size();
  for (const Member& member : members_) {
    const uint64_t head = local_bytes + member.name.size();
    if (member.offset > size || head > size - member.offset ||
        member.compressed_bytes > size - member.offset - head)
      damaged(str("member '", member.name, "' ends past the end of the file"));
    places.emplace_back(member.offset, member.offset + head + member.compressed_bytes);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].first < places[i - 1].second) damaged("its members overlap");
  }
}

ZipReader::Member ZipReader::read_entry(Window& archive, uint64_t at) {
  const auto number = [&](uint64_t place, int bytes) { return archive.number(place, bytes); };
  archive.expect(at, directory_signature, "its directory is broken");
  Member member;
  member.flags = static_cast<uint16_t>(number(at + 8, 2));
  member.method = static_cast<uint16_t>(number(at + 10, 2));
  member.crc = static_cast<uint32_t>(number(at + 16, 4));
  member.compressed_bytes = number(at + 20, 4);
  member.bytes = number(at + 24, 4);
  member.offset = number(at + 42, 4);
  // What Unix writes has the mode of the file in the upper half; many write none.
  constexpr uint64_t unix_host = 3, kind_of_file = 0170000, ordinary = 0100000, folder = 0040000;
  const uint64_t kind = number(at + 5, 1) == unix_host ? number(at + 40, 2) & kind_of_file : 0;
  member.special = kind != 0 && kind != ordinary && kind != folder;
  const uint64_t name_bytes = number(at + 28, 2), extra_bytes = number(at + 30, 2);
  archive.text(at + directory_entry_bytes, name_bytes + extra_bytes);
  member.name = archive.text(at + directory_entry_bytes, name_bytes);
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
  return member;
}

// Where what is stored of it begins, compressed or not.
uint64_t ZipReader::begin_of(const Member& member) const {
  constexpr uint16_t encrypted = 1;
  if ((member.flags & encrypted) != 0) {
    raise<Unimplemented>(
        {.what = str("ZIP archive '", path_, "': member '", member.name, "' is encrypted")});
  }
  Window head(*this, local_bytes);
  if (head.number(member.offset, 4) != local_signature)
    damaged(str("member '", member.name, "' is not where it should be"));
  const uint64_t start = member.offset + local_bytes + head.number(member.offset + 26, 2) +
                         head.number(member.offset + 28, 2);
  const uint64_t size = archive_->size();
  if (start > size || member.compressed_bytes > size - start)
    damaged(str("member '", member.name, "' ends past the end of the file"));
  if (member.method == stored && member.bytes != member.compressed_bytes)
    damaged(str("member '", member.name, "' has forged sizes"));
  return start;
}

std::optional<uint64_t> ZipReader::place(const Member& member) const {
  if (member.method != stored) return {};
  return begin_of(member);
}

ZipReader::Content ZipReader::read(const Member& member, uint64_t offset, uint64_t bytes) const {
  return piece(begin_of(member) + offset, bytes);
}

void ZipReader::check(const Member& member) const {
  const uint64_t begin = begin_of(member);
  const auto crc = crc32_of(member.bytes, [&](uint64_t offset, uint64_t bytes, char* buffer) {
    const uint64_t count =
        archive_->read_to(begin + offset, reinterpret_cast<std::byte*>(buffer), bytes);
    return std::string_view(buffer, static_cast<size_t>(count));
  });
  if (!crc) damaged("it was cut while it was read");
  if (*crc != member.crc) damaged(str("member '", member.name, "' fails its checksum"));
}

ZipReader::Content ZipReader::extract(const Member& member) const {
  constexpr uint64_t suspicious_bytes = uint64_t{1} << 32, suspicious_ratio = 100;
  if (member.bytes > suspicious_bytes &&
      member.bytes / suspicious_ratio > member.compressed_bytes) {
    raise<ResourceExhausted>(
        {.what = str("ZIP archive '", path_, "': member '", member.name, "' claims ", member.bytes,
                     " bytes from ", member.compressed_bytes)});
  }
  if (member.method != deflated && member.method != stored)
    damaged(str("member '", member.name, "' has compression method ", member.method));
  Content content = piece(begin_of(member), member.compressed_bytes);
  if (member.method == deflated) {
    // Deflate cannot shrink by more than 1,032: a larger claim is false, and is refused before
    // memory is allocated for it.
    if (member.bytes / 1032 > member.compressed_bytes)
      damaged(str("member '", member.name, "' has a forged size"));
    const auto bytes = std::make_shared<const std::string>(
        inflate_raw(content.bytes, member.bytes, str(path_, ":", member.name)));
    content = {*bytes, bytes};
  }
  if (crc32_of(content.bytes) != member.crc)
    damaged(str("member '", member.name, "' fails its checksum"));
  return content;
}

namespace {

constexpr uint16_t plain_version = 20, zip64_version = 45;

// In a field of 32 bits; where it does not fit, the wide one after it has it.
uint64_t narrow(uint64_t value) { return std::min<uint64_t>(value, UINT32_MAX); }
bool is_wide(uint64_t value) { return value >= UINT32_MAX; }

std::string wide_fields(const std::vector<uint64_t>& values) {
  std::string extra;
  if (values.empty()) return extra;
  append(extra, 1, 2);
  append(extra, 8 * values.size(), 2);
  for (const uint64_t value : values) append(extra, value, 8);
  return extra;
}

// What the local header and the directory share.
std::string common_fields(const std::string& name, uint64_t bytes, uint32_t crc, bool crc_follows,
                          bool wide, size_t extra_bytes) {
  std::string common;
  append(common, wide ? zip64_version : plain_version, 2);
  append(common, crc_follows ? 8 : 0, 2);
  append(common, stored, 2);
  append(common, 0, 2);     // time
  append(common, 0x21, 2);  // 1980-01-01: the same input gives the same file
  append(common, crc, 4);
  append(common, narrow(bytes), 4);
  append(common, narrow(bytes), 4);
  append(common, name.size(), 2);
  append(common, extra_bytes, 2);
  return common;
}

}  // namespace

ZipWriter::ZipWriter(const std::string& path, SourceLocation location) : file_(path, location) {}

void ZipWriter::put(std::string_view bytes) {
  file_.write(bytes);
  offset_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::string_view bytes) {
  begin({.name = name, .bytes = bytes.size(), .crc = crc32_of(bytes)});
  put(bytes);
  open_.written = bytes.size();
  end();
}

void ZipWriter::begin(const std::string& name, uint64_t bytes) {
  begin({.name = name, .bytes = bytes, .crc_follows = true});
}

void ZipWriter::begin(Open member) {
  open_ = std::move(member);
  begin_ = offset_;
  const bool wide = is_wide(open_.bytes);
  const std::string extra = wide ? wide_fields({open_.bytes, open_.bytes}) : std::string();
  std::string header;
  append(header, local_signature, 4);
  header +=
      common_fields(open_.name, open_.bytes, open_.crc, open_.crc_follows, wide, extra.size());
  put(header + open_.name + extra);
}

void ZipWriter::write(const void* data, size_t size) {
  const std::string_view bytes(static_cast<const char*>(data), size);
  open_.crc = static_cast<uint32_t>(
      ::crc32_z(open_.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  open_.written += size;
  put(bytes);
}

void ZipWriter::end() {
  if (open_.written != open_.bytes) {
    raise<FailedPrecondition>({.what = str("ZIP archive '", file_.path(), "': member '", open_.name,
                                           "' of ", open_.written, " bytes"),
                               .wanted = str(open_.bytes)});
  }
  const bool wide = is_wide(open_.bytes);
  if (open_.crc_follows) {
    std::string after;
    append(after, descriptor_signature, 4);
    append(after, open_.crc, 4);
    append(after, open_.bytes, wide ? 8 : 4);
    append(after, open_.bytes, wide ? 8 : 4);
    put(after);
  }
  std::vector<uint64_t> values;
  if (wide) values = {open_.bytes, open_.bytes};
  if (is_wide(begin_)) values.push_back(begin_);
  const std::string extra = wide_fields(values);
  append(directory_, directory_signature, 4);
  append(directory_, plain_version, 2);
  directory_ += common_fields(open_.name, open_.bytes, open_.crc, open_.crc_follows, !extra.empty(),
                              extra.size());
  directory_.append(10, '\0');  // comment, disk, attributes: none
  append(directory_, narrow(begin_), 4);
  directory_ += open_.name + extra;
  ++members_;
}

void ZipWriter::close() {
  const uint64_t directory = offset_;
  put(directory_);
  const bool wide = is_wide(directory) || is_wide(directory_.size()) || members_ >= UINT16_MAX;
  std::string end;
  if (wide) {
    append(end, wide_end_signature, 4);
    append(end, 44, 8);  // of what follows in this record
    append(end, zip64_version, 2);
    append(end, zip64_version, 2);
    append(end, 0, 8);  // disks
    append(end, members_, 8);
    append(end, members_, 8);
    append(end, directory_.size(), 8);
    append(end, directory, 8);
    append(end, locator_signature, 4);
    append(end, 0, 4);
    append(end, offset_, 8);
    append(end, 1, 4);
  }
  append(end, end_signature, 4);
  append(end, 0, 4);
  append(end, std::min<uint64_t>(members_, UINT16_MAX), 2);
  append(end, std::min<uint64_t>(members_, UINT16_MAX), 2);
  append(end, narrow(directory_.size()), 4);
  append(end, narrow(directory), 4);
  append(end, 0, 2);
  put(end);
  file_.commit();
}

}  // namespace io
}  // namespace systolic::inline v0
