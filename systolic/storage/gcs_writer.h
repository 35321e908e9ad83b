// Writes an object by a resumable upload
// (cloud.google.com/storage/docs/performing-resumable-uploads).
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "systolic/io/files/file_system.h"
#include "systolic/storage/gcs_client.h"

namespace systolic::inline v0 {
namespace storage {

// One piece is on its way while the next is filled, so memory is two pieces. After a fault the
// server is asked how much it has, and only the rest is sent again.
class GcsWriter : public io::WritableFile {
 public:
  GcsWriter(std::shared_ptr<GcsClient> client, const std::string& path, SourceLocation location);
  // Without commit() the upload is cancelled; a server that does not hear of it forgets it by
  // itself after a week.
  ~GcsWriter() override;
  GcsWriter(const GcsWriter&) = delete;
  GcsWriter& operator=(const GcsWriter&) = delete;

  const std::string& path() const override { return purpose_.path; }
  // After a call that failed, this and commit() fail in the same way: the object has a gap.
  void write(const void* data, size_t size) override;
  void commit() override;

 private:
  void open_session(const GcsPath& path);
  void require_open() const;
  void append(const char* bytes, size_t size);
  void send_piece(bool last);
  void start_upload();
  void finish_piece();
  bool accept(const HttpResponse& response);
  void ask_progress();
  void take_progress(const HttpResponse& response);
  void check_object(const HttpResponse& response) const;
  std::string content_range() const;
  HttpRequest request() const;

  std::shared_ptr<GcsClient> client_;
  GcsPurpose purpose_;
  std::string session_;  // the address to send pieces to; empty once that is over
  std::string filling_;
  std::string sending_;      // the piece on its way ...
  uint64_t sending_at_ = 0;  // ... which starts here
  bool last_ = false;        // and is the last
  uint64_t persisted_ = 0;   // bytes that the server said it has
  uint32_t crc_ = 0;
  HttpClient::Pending pending_;
  bool closed_ = false;
  std::exception_ptr failure_;  // of the first piece that failed: raised by every later call
};

}  // namespace storage
}  // namespace systolic::inline v0
