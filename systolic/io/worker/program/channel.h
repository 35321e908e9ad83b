// The worker's end of the socket and of the window (wire.h).
#pragma once

#include <span>
#include <string_view>

#include "systolic/io/worker/wire.h"

namespace worker {

namespace shared_wire = systolic::io::worker_wire;

// When the parent is gone, or says what it cannot say, the worker ends.
class Channel {
 public:
  Channel();
  std::span<char> window() const { return window_; }
  shared_wire::Message receive() const;
  // Sends the first `size` bytes of the window, and returns when they are taken.
  void send_piece(size_t size) const;
  void send_bytes(std::string_view bytes) const;
  // Bytes of a file that only the parent can reach, in the window: none at the file's end.
  std::string_view fetch(uint64_t offset, uint64_t size) const;
  void send_done() const;
  void send_damaged(std::string_view text) const;

 private:
  void send(const shared_wire::Message& message) const;
  std::span<char> window_;
};

}  // namespace worker
