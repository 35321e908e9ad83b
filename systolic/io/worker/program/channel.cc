#include "systolic/io/worker/program/channel.h"

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
  if (fstat(shared_wire::window_number, &status) != 0) _exit(no_window);
  const auto size = static_cast<size_t>(status.st_size);
  void* memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, shared_wire::window_number, 0);
  if (memory == MAP_FAILED) _exit(no_window);
  window_ = {static_cast<char*>(memory), size};
}

shared_wire::Message Channel::receive() const {
  shared_wire::Message message;
  ssize_t count = 0;
  do {
    count = recv(shared_wire::socket_number, &message, sizeof(message), 0);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(message)) _exit(no_parent);
  return message;
}

void Channel::send(const shared_wire::Message& message) const {
  ssize_t count = 0;
  do {
    count = ::send(shared_wire::socket_number, &message, sizeof(message), MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(message)) _exit(no_parent);
}

void Channel::send_piece(size_t size) const {
  send({.kind = shared_wire::Kind::piece, .a = size});
  if (receive().kind != shared_wire::Kind::go_on) _exit(no_parent);
}

void Channel::send_bytes(std::string_view bytes) const {
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), window_.size());
    std::copy_n(bytes.begin(), size, window_.begin());
    send_piece(size);
    bytes.remove_prefix(size);
  }
}

std::string_view Channel::fetch(uint64_t offset, uint64_t size) const {
  send({.kind = shared_wire::Kind::fetch,
        .a = offset,
        .b = std::min<uint64_t>(size, window_.size())});
  const shared_wire::Message answer = receive();
  if (answer.kind != shared_wire::Kind::go_on) _exit(no_parent);
  return {window_.data(), std::min<uint64_t>(answer.a, window_.size())};
}

void Channel::send_done() const { send({.kind = shared_wire::Kind::done}); }

void Channel::send_damaged(std::string_view text) const {
  const size_t size = std::min(text.size(), window_.size());
  std::copy_n(text.begin(), size, window_.begin());
  send({.kind = shared_wire::Kind::damaged, .a = size});
}

}  // namespace worker
