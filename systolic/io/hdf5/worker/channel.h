// The worker's end of the socket and of the window (wire.h).
#pragma once

#include <span>
#include <string_view>

#include "systolic/io/hdf5/wire.h"

namespace worker {

namespace wire = systolic::io::hdf5_wire;

// When the parent is gone, or says what it cannot say, the worker ends.
class Channel {
 public:
  Channel();
  std::span<char> window() const { return window_; }
  wire::Message receive() const;
  // Sends the first `size` bytes of the window, and returns when they are taken.
  void send_piece(size_t size) const;
  void send_bytes(std::string_view bytes) const;
  void send_done() const;
  void send_damaged(std::string_view text) const;

 private:
  void send(const wire::Message& message) const;
  std::span<char> window_;
};

}  // namespace worker
