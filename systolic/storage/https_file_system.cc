#include "systolic/storage/https_file_system.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

constexpr uint64_t most_whole_bytes = uint64_t{1} << 30;

[[noreturn]] void raise_answer(const std::string& path, const HttpResponse& response,
                               SourceLocation location) {
  ErrorReport report{.what = str("cannot read '", path, "': ", describe(response)),
                     .got = str("a request of ", io::this_machine()),
                     .location = location};
  switch (response.complete() ? response.status : 0) {
    case 401:
    case 403:
      report.hint = "Systolic asks web servers without credentials: make the file public";
      raise<PermissionDenied>(std::move(report));
    case 404:
    case 410:
      raise<NotFound>(std::move(report));
    case 412:
      report.hint = "the file was replaced meanwhile: open it again";
      raise<FailedPrecondition>(std::move(report));
    default:
      report.hint = remedy_for(response);
      raise<Unavailable>(std::move(report));
  }
}

// What a server says about the version of a file.
struct Version {
  std::string etag, date;
  explicit Version(const HttpResponse& response)
      : etag(response.header("etag")), date(response.header("last-modified")) {}
  bool differs(const Version& other) const {
    const auto differ = [](const std::string& a, const std::string& b) {
      return !a.empty() && !b.empty() && a != b;
    };
    return differ(etag, other.etag) || differ(date, other.date);
  }
};

class WebSource : public RangeSource {
 public:
  WebSource(const std::string& path, uint64_t size, Version version, SourceLocation location)
      : path_(path), size_(size), version_(std::move(version)), location_(location) {}
  const std::string& path() const override { return path_; }
  uint64_t size() const override { return size_; }
  std::optional<uint32_t> crc() const override { return std::nullopt; }
  HttpRequest request() const override {
    HttpRequest request{.url = path_, .follow_redirects = true};
    const bool strong = !version_.etag.empty() && version_.etag[0] == '"';
    if (strong) request.headers.push_back(str("If-Match: ", version_.etag));
    return request;
  }
  bool renew(const HttpRequest&, const HttpResponse&) const override { return false; }
  void check_same(const HttpResponse& response) const override {
    if (!version_.differs(Version(response))) return;
    raise<FailedPrecondition>({.what = str("'", path_, "' was replaced while it was read"),
                               .hint = "open it again",
                               .location = location_});
  }
  void fail(const HttpResponse& response) const override {
    raise_answer(path_, response, location_);
  }

 private:
  std::string path_;
  uint64_t size_;
  Version version_;
  SourceLocation location_;
};

// A file whose bytes came in one answer.
class WholeFile : public io::ReadableFile {
 public:
  WholeFile(std::string path, std::string bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  std::optional<uint64_t> size() const override { return bytes_.size(); }
  size_t read(void* buffer, size_t size) override {
    const size_t count = read_at(position_, buffer, size);
    position_ += count;
    return count;
  }
  size_t read_at(uint64_t offset, void* buffer, size_t size) override {
    if (offset >= bytes_.size()) return 0;
    const size_t count = std::min<uint64_t>(size, bytes_.size() - offset);
    std::memcpy(buffer, bytes_.data() + offset, count);
    return count;
  }

 private:
  std::string path_, bytes_;
  uint64_t position_ = 0;
};

// "bytes 0-0/1000", or "bytes */0" of an empty file.
bool total_of(const std::string& content_range, uint64_t& total) {
  const size_t slash = content_range.rfind('/');
  int64_t number = 0;
  if (slash == std::string::npos || !parse_number(content_range.substr(slash + 1), number) ||
      number < 0) {
    return false;
  }
  total = static_cast<uint64_t>(number);
  return true;
}

class HttpsFileSystem : public io::FileSystem {
 public:
  explicit HttpsFileSystem(RangeOptions options)
      : options_(options), client_(HttpClient::create()) {}

  std::unique_ptr<io::ReadableFile> open(const std::string& path,
                                         SourceLocation location) override {
    const HttpResponse first = first_byte(path);
    uint64_t size = 0;
    const bool ranges = total_of(first.header("content-range"), size);
    if (first.complete() &&
        ((first.status == 206 && ranges) || (first.status == 416 && ranges && size == 0))) {
      auto source = std::make_shared<WebSource>(path, size, Version(first), location);
      return std::make_unique<RangedFile>(client_, std::move(source), options_);
    }
    if (first.status != 200) raise_answer(path, first, location);
    if (first.complete()) return std::make_unique<WholeFile>(path, first.body);
    return std::make_unique<WholeFile>(path, whole(path, location));
  }

  std::unique_ptr<io::WritableFile> create(const std::string& path,
                                           SourceLocation location) override {
    raise_read_only("written", path, location);
  }
  std::optional<io::FileStatus> status(const std::string& path, SourceLocation location) override {
    const HttpResponse first = first_byte(path);
    if (first.complete() && (first.status == 404 || first.status == 410)) return std::nullopt;
    uint64_t size = 0;
    if (total_of(first.header("content-range"), size)) return io::FileStatus{.bytes = size};
    if (first.status != 200) raise_answer(path, first, location);
    int64_t length = 0;
    parse_number(first.header("content-length"), length);
    return io::FileStatus{.bytes = static_cast<uint64_t>(std::max<int64_t>(length, 0))};
  }
  // A web server lists nothing; a '?' is not a pattern here, but the start of a query.
  std::vector<std::string> glob(const std::string& pattern, SourceLocation location) override {
    if (pattern.find_first_of("*[") != std::string::npos) {
      raise_read_only("listed", pattern, location);
    }
    return status(pattern, location) ? std::vector{pattern} : std::vector<std::string>();
  }
  std::vector<std::string> list(const std::string&, size_t, SourceLocation) override { return {}; }
  void remove(const std::string& path, SourceLocation location) override {
    raise_read_only("removed", path, location);
  }
  void rename(const std::string& from, const std::string&, SourceLocation location) override {
    raise_read_only("renamed", from, location);
  }

 private:
  [[noreturn]] static void raise_read_only(std::string_view done, const std::string& path,
                                           SourceLocation location) {
    raise<Unimplemented>({.what = str("'", path, "': files of a web server cannot be ", done),
                          .wanted = "a path on the local disk, or gs://bucket/object",
                          .location = location});
  }

  HttpResponse send(const HttpRequest& request) const {
    return send_retrying(client_, request, options_.retry);
  }

  // A server without ranges answers with the whole file, which must not be read further here.
  HttpResponse first_byte(const std::string& path) const {
    return send({.url = path,
                 .headers = {"Range: bytes=0-0"},
                 .most_body_bytes = 1 << 16,
                 .follow_redirects = true});
  }

  std::string whole(const std::string& path, SourceLocation location) const {
    HttpResponse response =
        send({.url = path, .most_body_bytes = most_whole_bytes, .follow_redirects = true});
    if (response.complete() && response.status == 200) return std::move(response.body);
    if (response.too_long) {
      raise<ResourceExhausted>(
          {.what = str("'", path, "': the server sends no ranges of it, and ", response.fault),
           .hint = "download the file first",
           .location = location});
    }
    raise_answer(path, response, location);
  }

  RangeOptions options_;
  std::shared_ptr<HttpClient> client_;
};

}  // namespace

std::shared_ptr<io::FileSystem> https_file_system(RangeOptions options) {
  return std::make_shared<HttpsFileSystem>(options);
}

}  // namespace storage
}  // namespace systolic::inline v0
