#include "systolic/storage/gcs_writer.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace storage {

GcsWriter::GcsWriter(std::shared_ptr<GcsClient> client, const std::string& path,
                     SourceLocation location)
    : client_(std::move(client)),
      purpose_{.what = "cannot write",
               .path = path,
               .permission = "storage.objects.create (and .get, and .delete to replace an object)",
               .role = "roles/storage.objectUser",
               .location = location} {
  const GcsPath parsed = parse_gcs_path(path, location);
  if (parsed.object.empty() || parsed.object.back() == '/') {
    raise<InvalidArgument>({.what = str("'", path, "' is not the name of an object"),
                            .wanted = "gs://bucket/object",
                            .location = location});
  }
  open_session(parsed);
}

// Only an object of the generation that is there now, or none, is replaced: repeating a request
// does no harm, and of two writers one learns of the other.
void GcsWriter::open_session(const GcsPath& path) {
  const auto there = client_->find(path, purpose_);
  const HttpRequest request{.method = "POST",
                            .url = str(client_->upload_url(path.bucket),
                                       "?uploadType=resumable&name=", percent_encoded(path.object),
                                       "&ifGenerationMatch=", there ? there->generation : 0),
                            .headers = {"Content-Type: application/json; charset=UTF-8",
                                        "X-Upload-Content-Type: application/octet-stream"},
                            .body = "{}"};
  const HttpResponse response = client_->require(request, purpose_);
  session_ = response.header("location");
  if (session_.rfind("http://", 0) != 0 && session_.rfind("https://", 0) != 0) {
    raise<Unavailable>(
        {.what = str("cannot write '", purpose_.path, "': the server opened no upload session"),
         .location = purpose_.location});
  }
}

GcsWriter::~GcsWriter() {
  if (session_.empty()) return;
  pending_ = {};
  try {
    HttpClient::send(client_->http(), {.method = "DELETE",
                                       .url = session_,
                                       .headers = {"Content-Length: 0"},
                                       .connect_seconds = 2,
                                       .deadline_seconds = 5});
  } catch (const Error&) {
    // No memory for the request: the server forgets the upload by itself.
  }
}

void GcsWriter::require_open() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (closed_) raise<FailedPrecondition>({.what = str("'", path(), "' is closed already")});
}

void GcsWriter::write(const void* data, size_t size) {
  require_open();
  try {
    append(static_cast<const char*>(data), size);
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
}

void GcsWriter::append(const char* bytes, size_t size) {
  crc_ = io::crc32c(bytes, size, crc_);
  const uint64_t piece = client_->options().upload_piece_bytes;
  while (size > 0) {
    // A full piece waits for what follows: only the last one may have any size.
    if (filling_.size() == piece) send_piece(false);
    const size_t count = std::min<uint64_t>(size, piece - filling_.size());
    filling_.append(bytes, count);
    bytes += count;
    size -= count;
  }
}

void GcsWriter::commit() {
  require_open();
  try {
    send_piece(true);
    finish_piece();
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
  closed_ = true;
}

void GcsWriter::send_piece(bool last) {
  if (!pending_.empty()) finish_piece();
  sending_at_ += sending_.size();
  sending_ = std::move(filling_);
  filling_.clear();
  last_ = last;
  start_upload();
}

// "bytes 0-99/*" for a piece; "bytes 100-149/150" for the last; "bytes */150" where nothing is
// left.
std::string GcsWriter::content_range() const {
  const uint64_t end = sending_at_ + sending_.size();
  const std::string total = last_ ? str(end) : "*";
  if (persisted_ == end) return str("bytes */", total);
  return str("bytes ", persisted_, "-", end - 1, "/", total);
}

// The address of the session says who may write: no token goes along.
HttpRequest GcsWriter::request() const {
  return {.method = "PUT",
          .url = session_,
          .headers = {str("Content-Range: ", content_range())},
          .body = sending_.substr(persisted_ - sending_at_)};
}

void GcsWriter::start_upload() { pending_ = HttpClient::start(client_->http(), request()); }

void GcsWriter::finish_piece() {
  const RetryOptions& retry = client_->options().retry;
  for (int attempt = 1;; ++attempt) {
    const HttpResponse response = pending_.wait();
    const uint64_t before = persisted_;
    if (accept(response)) return;
    if (attempt >= retry.most_attempts) client_->fail(response, purpose_);
    if (!response.complete() || response.status != 308) {
      wait_before_attempt(attempt, response, retry);
      ask_progress();
      if (session_.empty()) return;
    }
    if (persisted_ > before) attempt = 0;
    if (!last_ && persisted_ == sending_at_ + sending_.size()) return;
    start_upload();
  }
}

// Whether the piece is where it belongs. An answer that ends the upload is thrown.
bool GcsWriter::accept(const HttpResponse& response) {
  if (response.complete() && (response.status == 200 || response.status == 201)) {
    session_.clear();
    check_object(response);
    return true;
  }
  if (response.complete() && response.status == 308) {
    take_progress(response);
    return !last_ && persisted_ == sending_at_ + sending_.size();
  }
  if (!may_pass(response)) {
    if (response.status != 404 && response.status != 410) client_->fail(response, purpose_);
    session_.clear();  // there is nothing left to call off
    raise<Unavailable>({.what = str("cannot write '", path(), "': ", describe(response),
                                    ": the server ended the upload"),
                        .hint = "write it again",
                        .location = purpose_.location});
  }
  return false;
}

// After a fault nobody knows how much arrived.
void GcsWriter::ask_progress() {
  const uint64_t end = sending_at_ + sending_.size();
  const HttpRequest query{.method = "PUT",
                          .url = session_,
                          .headers = {str("Content-Range: bytes */", last_ ? str(end) : "*")}};
  const HttpResponse response = HttpClient::send(client_->http(), query);
  if (may_pass(response)) return;  // the piece is sent again as it was
  if (!accept(response) && response.status != 308) client_->fail(response, purpose_);
}

// "Range: bytes=0-99": a hundred bytes are there. Without it none is.
void GcsWriter::take_progress(const HttpResponse& response) {
  constexpr std::string_view prefix = "bytes=0-";
  const std::string range = response.header("range");
  int64_t last = -1;
  const bool good = range.empty() || (range.rfind(prefix, 0) == 0 &&
                                      parse_number(range.substr(prefix.size()), last) && last >= 0);
  const auto there = static_cast<uint64_t>(last + 1);
  if (!good || there < sending_at_ || there > sending_at_ + sending_.size()) {
    raise<DataLoss>({.what = str("cannot write '", path(), "': the server lost a part of it"),
                     .got = str("'", range, "'"),
                     .wanted = str("bytes up to ", sending_at_, " or more"),
                     .hint = "write it again",
                     .location = purpose_.location});
  }
  persisted_ = there;
}

void GcsWriter::check_object(const HttpResponse& response) const {
  const GcsObject object = parse_gcs_object(response.body, path());
  const uint64_t size = sending_at_ + sending_.size();
  if (object.size == size && object.crc.value_or(crc_) == crc_) return;
  raise<DataLoss>({.what = str("'", path(), "': the server stored other bytes than were sent"),
                   .got = str(object.size, " bytes, CRC-32C ", object.crc.value_or(0)),
                   .wanted = str(size, " bytes, CRC-32C ", crc_),
                   .hint = "write it again",
                   .location = purpose_.location});
}

}  // namespace storage
}  // namespace systolic::inline v0
