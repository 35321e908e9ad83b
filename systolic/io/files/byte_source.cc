#include "systolic/io/files/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace io {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, SourceLocation location) : file_(path, location) {}
  size_t read(void* buffer, size_t size) override { return file_.read(buffer, size); }
  std::optional<uint64_t> total_bytes() const override {
    return file_.size_is_known() ? std::optional(file_.size()) : std::nullopt;
  }
  const std::string& path() const override { return file_.path(); }
  size_t held_bytes() const override { return file_.held_bytes(); }
  void set_read_ahead_room(ReadAheadRoom room) override {
    file_.set_read_ahead_room(std::move(room));
  }

 private:
  File file_;
};

class InflateSource : public ByteSource {
 public:
  InflateSource(const std::string& path, Compression compression, SourceLocation location)
      : file_(path, location), compression_(compression), input_(1 << 16) {
    constexpr int largest_window = 15, gzip_only = 16;
    const int window =
        compression == Compression::gzip ? largest_window + gzip_only : largest_window;
    if (::inflateInit2(&stream_, window) != Z_OK) {
      raise<ResourceExhausted>({.what = str("no memory to decompress '", path, "'")});
    }
  }
  ~InflateSource() override { ::inflateEnd(&stream_); }

  size_t read(void* buffer, size_t size) override {
    size_t done = 0;
    while (done < size && !finished_) {
      const size_t piece = std::min<size_t>(size - done, 1u << 30);
      stream_.next_out = static_cast<Bytef*>(buffer) + done;
      stream_.avail_out = static_cast<uInt>(piece);
      try {
        inflate_some();
      } catch (const DataLoss&) {
        // What came out before the damage is good: deliver it first.
        done += piece - stream_.avail_out;
        if (done == 0) throw;
        return done;
      }
      done += piece - stream_.avail_out;
    }
    return done;
  }
  std::optional<uint64_t> total_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return file_.path(); }
  size_t held_bytes() const override {
    constexpr size_t window_bytes = size_t{1} << 15;
    return file_.held_bytes() + input_.size() + window_bytes;
  }
  void set_read_ahead_room(ReadAheadRoom room) override {
    file_.set_read_ahead_room(std::move(room));
  }

 private:
  void inflate_some() {
    if (stream_.avail_in == 0) refill();
    if (stream_.avail_in == 0) {
      if (inside_member_) damaged("the compressed data ends too early");
      finished_ = true;
      return;
    }
    inside_member_ = true;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_member_ = false;
      end_member();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      damaged(stream_.msg != nullptr ? stream_.msg : "the compressed data is damaged");
    }
  }

  // GZIP members may follow one another.
  void end_member() {
    if (stream_.avail_in == 0) refill();
    if (stream_.avail_in == 0) {
      finished_ = true;
    } else if (compression_ == Compression::gzip) {
      ::inflateReset(&stream_);
    } else {
      damaged("bytes follow the end of the compressed data");
    }
  }

  void refill() {
    if (at_end_) return;
    const size_t count = file_.read(input_.data(), input_.size());
    if (read_bytes_ == 0) {
      first_bytes_.assign(reinterpret_cast<const char*>(input_.data()), std::min<size_t>(count, 8));
    }
    read_bytes_ += count;
    at_end_ = count < input_.size();
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(count);
  }

  [[noreturn]] void damaged(std::string_view what) const {
    const uint64_t offset = read_bytes_ - stream_.avail_in;
    const std::string_view kind = recognize(first_bytes_);
    const bool wrong_kind = stream_.total_out == 0 && kind != to_string(compression_);
    raise<DataLoss>(
        {.what = str("'", file_.path(), "' read as ", to_string(compression_), ", compressed byte ",
                     offset, ": ", what,
                     wrong_kind && !kind.empty() ? str(" (it looks like ", kind, ")") : ""),
         .hint = !wrong_kind    ? "the file is damaged: fetch or write it again"
                 : kind.empty() ? "it does not look compressed; open it with Compression::none"
                                : ""});
  }

  File file_;
  Compression compression_;
  std::vector<Bytef> input_;
  std::string first_bytes_;
  z_stream stream_{};
  uint64_t read_bytes_ = 0;
  bool at_end_ = false, finished_ = false, inside_member_ = false;
};

}  // namespace

std::string to_string(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::gzip:
      return "GZIP";
    case Compression::zlib:
      return "ZLIB";
  }
  return "";
}

std::unique_ptr<ByteSource> open_source(const std::string& path, Compression compression,
                                        SourceLocation location) {
  if (compression == Compression::none) return std::make_unique<FileSource>(path, location);
  return std::make_unique<InflateSource>(path, compression, location);
}

std::string_view recognize(std::string_view first) {
  auto starts = [&](std::string_view magic) { return first.substr(0, magic.size()) == magic; };
  if (starts("\x1f\x8b")) return "GZIP";
  if (starts("\xff\xd8\xff")) return "JPEG";
  if (starts("\x89PNG")) return "PNG";
  if (starts("PK\x03\x04")) return "ZIP";
  if (first.size() >= 2 && first[0] == '\x78') {
    const int header = 256 * 0x78 + static_cast<unsigned char>(first[1]);
    if (header % 31 == 0) return "ZLIB";
  }
  return "";
}

std::string read_possibly_gzipped(const std::string& path, size_t most_bytes,
                                  SourceLocation location) {
  char magic[2] = {};
  File file(path, location);
  const bool gzipped = file.read(magic, 2) == 2 && recognize({magic, 2}) == "GZIP";
  const auto source = open_source(path, gzipped ? Compression::gzip : Compression::none, location);
  std::string bytes;
  for (size_t piece = 1 << 16;; piece = std::min<size_t>(2 * piece, 1 << 26)) {
    const size_t before = bytes.size();
    bytes.resize(before + piece);
    bytes.resize(before + source->read(bytes.data() + before, piece));
    const bool bomb = gzipped && unpacks_to_too_much(bytes.size(), file.size());
    if (bytes.size() > most_bytes || bomb) {
      raise<ResourceExhausted>(
          {.what = str("'", path, "' of ", file.size(), " bytes holds more than ",
                       bomb ? bytes.size() : most_bytes, " bytes"),
           .hint =
               bomb ? "it looks made to fill the memory; decompress it yourself if it is not" : "",
           .location = location});
    }
    if (bytes.size() == before) return bytes;
  }
}

std::string inflate_raw(std::string_view compressed, size_t size, std::string_view name,
                        size_t piece) {
  std::string result(size, '\0');
  z_stream stream{};
  constexpr int raw_deflate = -15;
  if (::inflateInit2(&stream, raw_deflate) != Z_OK) {
    raise<ResourceExhausted>({.what = str("no memory to decompress '", name, "'")});
  }
  size_t taken = 0, got = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const size_t in = std::min(piece, compressed.size() - taken);
    const size_t out = std::min(piece, size - got);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + got);
    stream.avail_out = static_cast<uInt>(out);
    status = ::inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR where neither gets any further
    taken += in - stream.avail_in;
    got += out - stream.avail_out;
  }
  ::inflateEnd(&stream);
  if (status != Z_STREAM_END || got != size) {
    raise<DataLoss>(
        {.what = str("'", name, "': the compressed data is damaged or not of the stated size"),
         .got = str(got, " bytes"),
         .wanted = str(size)});
  }
  return result;
}

}  // namespace io
}  // namespace systolic::inline v0
