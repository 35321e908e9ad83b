#include "systolic/datasets/fetch/tar_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t block_bytes = 512;
constexpr uint64_t most_extra_bytes = 1 << 20;  // of a header that names the next member
using Block = std::array<char, block_bytes>;

// The text before the first NUL of a field.
std::string_view field(const Block& block, size_t at, size_t size) {
  const std::string_view text(block.data() + at, size);
  return text.substr(0, text.find('\0'));
}

// Octal digits; or, where the first bit is set, big-endian bytes.
std::optional<uint64_t> number(const Block& block, size_t at, size_t size) {
  uint64_t value = 0;
  if ((static_cast<unsigned char>(block[at]) & 0x80) != 0) {
    for (size_t i = 1; i < size; ++i) {
      if (value >> 55 != 0) return {};
      value = value << 8 | static_cast<unsigned char>(block[at + i]);
    }
    return value;
  }
  for (const char c : trim(field(block, at, size))) {
    if (c < '0' || c > '7' || value >> 60 != 0) return {};
    value = value << 3 | static_cast<uint64_t>(c - '0');
  }
  return value;
}

bool checksum_holds(const Block& block) {
  constexpr size_t at = 148, size = 8;
  uint64_t sum = 0;
  for (size_t i = 0; i < block.size(); ++i)
    sum += i >= at && i < at + size ? ' ' : static_cast<unsigned char>(block[i]);
  return number(block, at, size) == sum;
}

std::string name_of(const Block& block) {
  const std::string_view prefix =
      field(block, 257, 6) == "ustar" ? field(block, 345, 155) : std::string_view();
  const std::string_view name = field(block, 0, 100);
  return prefix.empty() ? std::string(name) : str(prefix, "/", name);
}

// The value of "path" in the records "LENGTH KEY=VALUE\n" of a pax header; empty if it has none.
std::string pax_path(std::string_view records) {
  std::string path;
  while (!records.empty()) {
    const size_t space = records.find(' ');
    int64_t length = 0;
    if (space == std::string_view::npos || !parse_number(records.substr(0, space), length)) break;
    if (length <= static_cast<int64_t>(space) + 1 || length > static_cast<int64_t>(records.size()))
      break;
    const std::string_view record =
        records.substr(space + 1, static_cast<size_t>(length) - space - 2);
    if (record.substr(0, 5) == "path=") path = record.substr(5);
    records.remove_prefix(static_cast<size_t>(length));
  }
  return path;
}

io::Compression compression_of(const std::string& path, SourceLocation location) {
  char magic[2] = {};
  const bool gzipped =
      io::File(path, location).read(magic, 2) == 2 && io::recognize({magic, 2}) == "GZIP";
  return gzipped ? io::Compression::gzip : io::Compression::none;
}

}  // namespace

TarReader::TarReader(const std::string& path, SourceLocation location)
    : path_(path), source_(io::open_source(path, compression_of(path, location), location)) {}

std::optional<TarReader::Member> TarReader::next() {
  std::string long_name;
  for (;;) {
    skip();
    Block block;
    if (!read(block.data(), block.size())) return {};
    if (std::all_of(block.begin(), block.end(), [](char c) { return c == 0; })) return {};
    if (!checksum_holds(block)) damaged("a header fails its checksum");
    const std::optional<uint64_t> size = number(block, 124, 12);
    if (!size || *size > uint64_t{1} << 60) damaged("a size that is no number");
    left_ = *size;
    padding_ = (block_bytes - *size % block_bytes) % block_bytes;
    const char kind = block[156];
    if (kind == 'x') {
      long_name = pax_path(small_content("pax header"));
    } else if (kind == 'L') {
      const std::string name = small_content("long name");
      long_name = name.substr(0, name.find('\0'));
    } else if (kind != 'g') {
      Member member{long_name.empty() ? name_of(block) : long_name, *size, kind == '5'};
      if (kind == '0' || kind == '\0' || kind == '7' || kind == '5') return member;
      damaged(str("member '", member.name, "' is a link or a device"));
    }
  }
}

void TarReader::copy(const std::function<void(std::string_view)>& to) {
  std::string piece(std::min<uint64_t>(left_, 1 << 20), '\0');
  while (left_ > 0) {
    const size_t size = std::min<uint64_t>(left_, piece.size());
    if (!read(piece.data(), size)) damaged("it ends inside a member");
    to(std::string_view(piece).substr(0, size));
    left_ -= size;
  }
}

void TarReader::skip() {
  copy([](std::string_view) {});
  Block block;
  if (padding_ > 0 && !read(block.data(), padding_)) damaged("it ends inside a member");
  padding_ = 0;
}

bool TarReader::read(char* buffer, size_t size) {
  size_t got = 0;
  while (got < size) {
    const size_t count = source_->read(buffer + got, size - got);
    if (count == 0) break;
    got += count;
  }
  if (got != 0 && got < size) damaged("it ends in the middle of a block");
  return got == size;
}

std::string TarReader::small_content(std::string_view member) {
  if (left_ > most_extra_bytes) damaged(str("a ", member, " of ", left_, " bytes"));
  std::string content;
  copy([&](std::string_view bytes) { content += bytes; });
  return content;
}

void TarReader::damaged(std::string_view what) const {
  raise<DataLoss>({.what = str("'", path_, "': ", what),
                   .wanted = "a TAR archive of folders and ordinary files"});
}

}  // namespace datasets
}  // namespace systolic::inline v0
