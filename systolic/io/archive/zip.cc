#include "systolic/io/archive/zip.h"

#include <zlib.h>

#include <algorithm>
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

// All threads share a large member, piece by piece: one alone takes a third of a model's loading.
uint32_t crc32_of(std::string_view bytes) {
  constexpr size_t piece = 1 << 20, few = 4;
  if (bytes.size() < few * piece) return crc32_of_piece(bytes);
  std::vector<uint32_t> crcs((bytes.size() + piece - 1) / piece);
  ThreadPool::compute().parallel_for(
      static_cast<int64_t>(crcs.size()), 1, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
          crcs[i] = crc32_of_piece(bytes.substr(i * piece, piece));
      });
  uint32_t all = crcs.front();
  for (size_t i = 1; i < crcs.size(); ++i) {
    const auto size = static_cast<z_off_t>(std::min(piece, bytes.size() - i * piece));
    all = static_cast<uint32_t>(::crc32_combine(all, crcs[i], size));
  }
  return all;
}

void append(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
}

}  // namespace

ZipReader::ZipReader(std::string archive, std::string path) : path_(std::move(path)) {
  const auto kept = std::make_shared<const std::string>(std::move(archive));
  archive_ = *kept;
  owner_ = kept;
  read_directory();
}

ZipReader::ZipReader(std::shared_ptr<const MappedFile> archive, std::string path)
    : archive_(reinterpret_cast<const char*>(archive->bytes().data()), archive->bytes().size()),
      path_(std::move(path)) {
  owner_ = std::move(archive);
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

ZipReader::Directory ZipReader::find_directory() const {
  // Only a comment of up to 65,535 bytes may follow the end record.
  const size_t end = archive_.rfind("PK\x05\x06");
  if (end == std::string_view::npos || archive_.size() - end > end_bytes + 65535)
    damaged("it has no directory");
  number(end + end_bytes, 0);
  Directory directory{number(end + 10, 2), number(end + 16, 4)};
  const bool beyond = directory.members == UINT16_MAX || directory.offset == UINT32_MAX;
  // The place of ZIP64's end record, which has wider fields, stands before it.
  if (!beyond || end < locator_bytes || number(end - locator_bytes, 4) != locator_signature)
    return directory;
  const uint64_t wide_end = number(end - locator_bytes + 8, 8);
  if (number(wide_end, 4) != wide_end_signature) damaged("it has no directory");
  return {number(wide_end + 32, 8), number(wide_end + 48, 8)};
}

void ZipReader::read_directory() {
  const Directory directory = find_directory();
  uint64_t at = directory.offset;
  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < directory.members; ++i) {
    members_.push_back(read_entry(at));
    const Member& member = members_.back();
    if (!names.insert(member.name).second)
      damaged(str("it has two members named '", member.name, "'"));
    at += directory_entry_bytes + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
  }
  check_places();
}

// Each byte belongs to one member: together they cannot exceed the archive, and so memory is
// bounded.
void ZipReader::check_places() const {
  std::vector<std::pair<uint64_t, uint64_t>> places;  // begin, end
  for (const Member& member : members_) {
    const uint64_t head = local_bytes + member.name.size();
    if (member.offset > archive_.size() || head > archive_.size() - member.offset ||
        member.compressed_bytes > archive_.size() - member.offset - head)
      damaged(str("member '", member.name, "' ends past the end of the file"));
    places.emplace_back(member.offset, member.offset + head + member.compressed_bytes);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].first < places[i - 1].second) damaged("its members overlap");
  }
}

ZipReader::Member ZipReader::read_entry(uint64_t at) const {
  if (number(at, 4) != directory_signature) damaged("its directory is broken");
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
  return member;
}

std::string_view ZipReader::compressed(const Member& member) const {
  constexpr uint16_t encrypted = 1;
  if ((member.flags & encrypted) != 0) {
    raise<Unimplemented>(
        {.what = str("ZIP archive '", path_, "': member '", member.name, "' is encrypted")});
  }
  if (number(member.offset, 4) != local_signature)
    damaged(str("member '", member.name, "' is not where it should be"));
  const uint64_t start =
      member.offset + local_bytes + number(member.offset + 26, 2) + number(member.offset + 28, 2);
  if (start > archive_.size() || member.compressed_bytes > archive_.size() - start)
    damaged(str("member '", member.name, "' ends past the end of the file"));
  return archive_.substr(start, member.compressed_bytes);
}

std::string_view ZipReader::stored_bytes(const Member& member) const {
  return member.method == stored ? compressed(member) : std::string_view();
}

ZipReader::Content ZipReader::extract(const Member& member) const {
  Content content{compressed(member), owner_};
  constexpr uint64_t suspicious_bytes = uint64_t{1} << 32, suspicious_ratio = 100;
  if (member.bytes > suspicious_bytes &&
      member.bytes / suspicious_ratio > member.compressed_bytes) {
    raise<ResourceExhausted>(
        {.what = str("ZIP archive '", path_, "': member '", member.name, "' claims ", member.bytes,
                     " bytes from ", member.compressed_bytes)});
  }
  if (member.method == deflated) {
    // Deflate cannot shrink by more than 1,032: a larger claim is false, and is refused before
    // memory is allocated for it.
    if (member.bytes / 1032 > member.compressed_bytes)
      damaged(str("member '", member.name, "' has a forged size"));
    const auto bytes = std::make_shared<const std::string>(
        inflate_raw(content.bytes, member.bytes, str(path_, ":", member.name)));
    content = {*bytes, bytes};
  } else if (member.method != stored || member.bytes != member.compressed_bytes) {
    damaged(str("member '", member.name, "' has compression method ", member.method,
                " or forged sizes"));
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
