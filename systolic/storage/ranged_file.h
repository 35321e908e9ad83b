// A remote file that is read by ranges of its bytes: several at a time, ahead of what is asked for,
// each resumed where a fault cut it off.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "systolic/io/files/file_system.h"
#include "systolic/storage/http_client.h"
#include "systolic/storage/retry.h"

namespace systolic::inline v0 {
namespace storage {

// Where the ranges come from. Called by several threads.
class RangeSource {
 public:
  virtual ~RangeSource() = default;
  virtual const std::string& path() const = 0;
  // Bytes in all.
  virtual uint64_t size() const = 0;
  // CRC-32C of the whole, where it is known.
  virtual std::optional<uint32_t> crc() const = 0;
  // The request without its Range header.
  virtual HttpRequest request() const = 0;
  // Whether it is worth asking again though the fault does not pass by itself: the credentials that
  // came with `request` were refused and there may be new ones.
  virtual bool renew(const HttpRequest& request, const HttpResponse& response) const = 0;
  // Throws where the answer belongs to another file than the one that was opened.
  virtual void check_same(const HttpResponse& response) const = 0;
  // Throws the error that fits a useless answer.
  [[noreturn]] virtual void fail(const HttpResponse& response) const = 0;
};

struct RangeOptions {
  uint64_t first_piece_bytes = uint64_t{1} << 18;  // doubled up to the next
  uint64_t most_piece_bytes = uint64_t{1} << 23;
  uint64_t least_piece_bytes = uint64_t{1} << 16;  // where there is little room
  size_t most_pieces_ahead = 4;
  RetryOptions retry;
};

// One range in flight.
class RangeFetch {
 public:
  RangeFetch(std::shared_ptr<HttpClient> client, std::shared_ptr<const RangeSource> source,
             const RetryOptions& retry, uint64_t offset, uint64_t size);
  // All of its bytes. Throws what RangeSource::fail throws, or DataLoss where the server keeps
  // sending something else than was asked for.
  std::string wait();

 private:
  void start();
  void take(HttpResponse& response);
  std::shared_ptr<HttpClient> client_;
  std::shared_ptr<const RangeSource> source_;
  RetryOptions retry_;
  uint64_t offset_, size_;
  std::string bytes_;
  HttpRequest request_;
  HttpClient::Pending pending_;
};

// read() keeps most_pieces_ahead ranges in flight, as far as there is room for them, once the first
// has come alone: a file that is only opened, or looked into, costs little. At the end it compares
// the checksum of all bytes; DataLoss for another one. After a failed read() each later one fails
// in the same way: what comes after the gap is not the file.
class RangedFile : public io::ReadableFile {
 public:
  RangedFile(std::shared_ptr<HttpClient> client, std::shared_ptr<const RangeSource> source,
             RangeOptions options);
  const std::string& path() const override { return source_->path(); }
  std::optional<uint64_t> size() const override { return source_->size(); }
  size_t read(void* buffer, size_t size) override;
  size_t read_at(uint64_t offset, void* buffer, size_t size) override;
  size_t held_bytes() const override {
    return static_cast<size_t>(asked_ - received_) + (piece_.empty() ? 0 : piece_.capacity()) +
           ahead_.size() * HttpClient::buffer_bytes;
  }
  void set_read_ahead_room(io::ReadAheadRoom room) override;

 private:
  bool next_piece(size_t wanted);
  bool has_room_for(uint64_t count);
  bool choose_piece(uint64_t left);
  bool ask_piece(size_t wanted);
  void take_piece();
  void drop_piece();
  void check_crc() const;

  std::shared_ptr<HttpClient> client_;
  std::shared_ptr<const RangeSource> source_;
  RangeOptions options_;
  io::ReadAheadRoom room_;
  std::deque<RangeFetch> ahead_;
  uint64_t asked_ = 0;     // up to where ranges were asked for
  uint64_t received_ = 0;  // up to where they came
  uint64_t piece_bytes_;
  bool grows_ = true;  // until there was no room
  uint32_t crc_ = 0;
  std::string piece_;
  size_t taken_ = 0;            // of the piece
  std::exception_ptr failure_;  // of the first read() that failed
};

}  // namespace storage
}  // namespace systolic::inline v0
