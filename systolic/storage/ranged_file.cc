#include "systolic/storage/ranged_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

struct ContentRange {
  uint64_t first = 0, last = 0, total = 0;
};

bool parse_bytes(std::string_view text, uint64_t& value) {
  int64_t number = 0;
  if (text.empty() || text[0] == '+' || !parse_number(text, number) || number < 0) return false;
  value = static_cast<uint64_t>(number);
  return true;
}

// "bytes 0-99/1000"
std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  if (text.substr(0, unit.size()) != unit) return std::nullopt;
  text.remove_prefix(unit.size());
  const size_t dash = text.find('-'), slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) {
    return std::nullopt;
  }
  ContentRange range;
  if (!parse_bytes(text.substr(0, dash), range.first) ||
      !parse_bytes(text.substr(dash + 1, slash - dash - 1), range.last) ||
      !parse_bytes(text.substr(slash + 1), range.total)) {
    return std::nullopt;
  }
  return range;
}

}  // namespace

RangeFetch::RangeFetch(std::shared_ptr<HttpClient> client,
                       std::shared_ptr<const RangeSource> source, const RetryOptions& retry,
                       uint64_t offset, uint64_t size)
    : client_(std::move(client)),
      source_(std::move(source)),
      retry_(retry),
      offset_(offset),
      size_(size) {
  start();
}

void RangeFetch::start() {
  request_ = source_->request();
  const uint64_t first = offset_ + bytes_.size();
  request_.headers.push_back(str("Range: bytes=", first, "-", offset_ + size_ - 1));
  request_.most_body_bytes = size_ - bytes_.size();
  pending_ = HttpClient::start(client_, request_);
}

std::string RangeFetch::wait() {
  constexpr size_t progress_bytes = 1 << 16;
  bool renewed = false;
  for (int attempt = 1;; ++attempt) {
    HttpResponse response = pending_.wait();
    const bool success = response.status == 200 || response.status == 206;
    const size_t before = bytes_.size();
    if (success) take(response);
    if (bytes_.size() == size_) return std::move(bytes_);
    // A connection that breaks now and then is no reason to give up.
    if (bytes_.size() - before >= progress_bytes) attempt = 1;
    if (!success && !renewed && source_->renew(request_, response)) {
      renewed = true;
    } else {
      if (!success && !may_pass(response)) source_->fail(response);
      if (attempt >= retry_.most_attempts) {
        if (!success || !response.complete()) source_->fail(response);
        raise<DataLoss>({.what = str("'", source_->path(), "', bytes from ", offset_,
                                     ": the server keeps sending fewer than were asked for"),
                         .got = str(bytes_.size()),
                         .wanted = str(size_)});
      }
      wait_before_attempt(attempt, response, retry_);
    }
    start();
  }
}

// Appends what came, after checking that it is what was asked for.
void RangeFetch::take(HttpResponse& response) {
  source_->check_same(response);
  const uint64_t first = offset_ + bytes_.size();
  const std::string text = response.header("content-range");
  const auto range = parse_content_range(text);
  const bool whole = response.status == 200 && first == 0 && size_ == source_->size();
  const bool fits = range && range->first == first && range->last < offset_ + size_ &&
                    range->total == source_->size() &&
                    response.body.size() <= range->last - range->first + 1;
  if ((response.status == 206 && !fits) || (response.status == 200 && !whole) ||
      response.too_long) {
    raise<DataLoss>(
        {.what = str("'", source_->path(), "': the server sends other bytes than were asked for"),
         .got = response.too_long        ? response.fault
                : response.status == 200 ? std::string("the whole file")
                                         : str("'", text, "'"),
         .wanted = str("bytes ", first, "-", offset_ + size_ - 1, " of ", source_->size())});
  }
  if (bytes_.empty()) {
    bytes_ = std::move(response.body);
  } else {
    bytes_.append(response.body);
  }
}

RangedFile::RangedFile(std::shared_ptr<HttpClient> client,
                       std::shared_ptr<const RangeSource> source, RangeOptions options)
    : client_(std::move(client)),
      source_(std::move(source)),
      options_(options),
      piece_bytes_(options.first_piece_bytes) {}

// Says at once that it will want room: otherwise the first file would take that of all files opened
// with it, and keep it until it is read on.
void RangedFile::set_read_ahead_room(io::ReadAheadRoom room) {
  room_ = std::move(room);
  if (room_) room_(held_bytes());
}

bool RangedFile::has_room_for(uint64_t count) {
  return !room_ || room_(held_bytes() + count + HttpClient::buffer_bytes);
}

// Ranges grow until there is no room for another one, and later while as many as allowed are in
// flight. They shrink where there is room for so few that the reader would wait for the server's
// latency; a window that is full of ranges is no reason.
bool RangedFile::choose_piece(uint64_t left) {
  const uint64_t least = std::min(options_.least_piece_bytes, options_.first_piece_bytes);
  constexpr size_t enough = 3;
  while (!has_room_for(std::min(piece_bytes_, left))) {
    grows_ = false;
    if (ahead_.size() >= enough || piece_bytes_ <= least) return false;
    piece_bytes_ = std::max(std::min(piece_bytes_, left) / 2, least);
  }
  return true;
}

// False where there is no room for it; but a part of what the reader waits for is always requested.
bool RangedFile::ask_piece(size_t wanted) {
  const uint64_t left = source_->size() - asked_;
  const bool fits = choose_piece(left);
  if (!fits && !ahead_.empty()) return false;
  const uint64_t count = fits ? std::min(piece_bytes_, left)
                              : std::min({options_.first_piece_bytes, left, uint64_t{wanted}});
  ahead_.emplace_back(client_, source_, options_.retry, asked_, count);
  asked_ += count;
  if (fits && (grows_ || ahead_.size() == options_.most_pieces_ahead))
    piece_bytes_ = std::min(2 * piece_bytes_, options_.most_piece_bytes);
  return true;
}

bool RangedFile::next_piece(size_t wanted) {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  drop_piece();  // before more is asked for
  const size_t most = received_ == 0 ? 1 : options_.most_pieces_ahead;
  while (ahead_.size() < most && asked_ < source_->size() && ask_piece(wanted)) {
  }
  if (ahead_.empty()) return false;
  try {
    take_piece();
  } catch (...) {
    failure_ = std::current_exception();
    ahead_.clear();
    throw;
  }
  return true;
}

void RangedFile::drop_piece() {
  std::string().swap(piece_);  // an assignment would keep the memory
  taken_ = 0;
  if (room_) room_(held_bytes());
}

void RangedFile::take_piece() {
  piece_ = ahead_.front().wait();
  ahead_.pop_front();
  received_ += piece_.size();
  if (source_->crc()) crc_ = io::crc32c(piece_.data(), piece_.size(), crc_);
  if (received_ == source_->size()) check_crc();
}

void RangedFile::check_crc() const {
  if (!source_->crc() || *source_->crc() == crc_) return;
  raise<DataLoss>({.what = str("'", path(), "': other bytes came than are stored: their CRC-32C"),
                   .got = str(crc_),
                   .wanted = str(*source_->crc()),
                   .hint = "read it again"});
}

size_t RangedFile::read(void* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    if (taken_ == piece_.size() && !next_piece(size - done)) break;
    const size_t count = std::min(size - done, piece_.size() - taken_);
    std::memcpy(static_cast<char*>(buffer) + done, piece_.data() + taken_, count);
    done += count;
    taken_ += count;
  }
  if (taken_ == piece_.size()) drop_piece();
  return done;
}

size_t RangedFile::read_at(uint64_t offset, void* buffer, size_t size) {
  if (offset >= source_->size()) return 0;
  const uint64_t wanted = std::min<uint64_t>(size, source_->size() - offset);
  std::deque<RangeFetch> fetches;
  uint64_t asked = 0, done = 0;
  while (done < wanted) {
    while (fetches.size() < options_.most_pieces_ahead && asked < wanted) {
      const uint64_t count = std::min(options_.most_piece_bytes, wanted - asked);
      fetches.emplace_back(client_, source_, options_.retry, offset + asked, count);
      asked += count;
    }
    const std::string piece = fetches.front().wait();
    fetches.pop_front();
    std::memcpy(static_cast<char*>(buffer) + done, piece.data(), piece.size());
    done += piece.size();
  }
  return done;
}

}  // namespace storage
}  // namespace systolic::inline v0
