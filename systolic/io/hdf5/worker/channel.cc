#include "systolic/io/hdf5/worker/channel.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace worker {
namespace {

constexpr int no_window = 2, no_parent = 0;  // exit codes

}  // namespace

Channel::Channel() {
  struct stat status {};
  if (fstat(wire::window_number, &status) != 0) _exit(no_window);
  const auto size = static_cast<size_t>(status.st_size);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, wire::window_number, 0);
  if (memory == MAP_FAILED) _exit(no_window);
  window_ = {static_cast<char*>(memory), size};
}

wire::Message Channel::receive() const {
  wire::Message message;
  ssize_t count = 0;
  do {
    count = recv(wire::socket_number, &message, sizeof(message), 0);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(message)) _exit(no_parent);
  return message;
}

void Channel::send(const wire::Message& message) const {
  ssize_t count = 0;
  do {
    count = ::send(wire::socket_number, &message, sizeof(message), MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(message)) _exit(no_parent);
}

void Channel::send_piece(size_t size) const {
  send({.kind = wire::Kind::piece, .a = size});
  if (receive().kind != wire::Kind::go_on) _exit(no_parent);
}

void Channel::send_bytes(std::string_view bytes) const {
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), window_.size());
    std::copy_n(bytes.begin(), size, window_.begin());
    send_piece(size);
    bytes.remove_prefix(size);
  }
}

void Channel::send_done() const { send({.kind = wire::Kind::done}); }

void Channel::send_damaged(std::string_view text) const {
  const size_t size = std::min(text.size(), window_.size());
  std::copy_n(text.begin(), size, window_.begin());
  send({.kind = wire::Kind::damaged, .a = size});
}

}  // namespace worker
