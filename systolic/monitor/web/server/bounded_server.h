// An HTTP server that reads no more than a request may have, and for no longer than it may take:
// httplib itself reads lines and headers of any length, for as long as they come.
#pragma once

#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

namespace systolic::inline v0 {
namespace monitor {

// A connection, of which one request is read. No function says `override`: versions of httplib
// differ in those that they have.
class BoundedStream : public httplib::Stream {
 public:
  static constexpr size_t most_bytes = 16 << 10;
  static constexpr auto most_time = std::chrono::seconds(10),
                        write_patience = std::chrono::seconds(5);

  explicit BoundedStream(int socket) : socket_(socket) {}

  bool is_readable() const { return begin_ < end_ || wait(POLLIN, time_left()); }
  bool wait_readable() const { return is_readable(); }
  bool is_writable() const { return wait(POLLOUT, write_patience); }
  bool wait_writable() const { return is_writable(); }

  // -1 where it has sent too much, or takes too long.
  ssize_t read(char* to, size_t size) {
    if (begin_ == end_ && !fill()) return -1;
    const size_t count = std::min(size, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, count, to);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }

  // All of it; -1 where the reader takes nothing for a while.
  ssize_t write(const char* data, size_t size) {
    for (size_t done = 0; done < size;) {
      if (!is_writable()) return -1;
      const ssize_t count = ::send(socket_, data + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
      done += static_cast<size_t>(std::max<ssize_t>(count, 0));
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& address, int& port) const {
    name(::getpeername, address, port);
  }
  void get_local_ip_and_port(std::string& address, int& port) const {
    name(::getsockname, address, port);
  }
  socket_t socket() const { return socket_; }
  time_t duration() const { return 0; }  // only clients ask

 private:
  using Clock = std::chrono::steady_clock;

  Clock::duration time_left() const {
    return std::max<Clock::duration>(begun_ + most_time - Clock::now(), Clock::duration::zero());
  }

  bool wait(short events, Clock::duration most) const {
    pollfd asked{socket_, events, 0};
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(most).count();
    int ready = 0;
    do {
      ready = ::poll(&asked, 1, static_cast<int>(milliseconds));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
  }

  bool fill() {
    if (read_ == most_bytes || !wait(POLLIN, time_left())) return false;
    const ssize_t count =
        ::recv(socket_, buffer_.data(), std::min(buffer_.size(), most_bytes - read_), 0);
    if (count <= 0) return false;
    begin_ = 0;
    end_ = static_cast<size_t>(count);
    read_ += end_;
    return true;
  }

  template <class Ask>
  void name(const Ask& ask, std::string& text, int& port) const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (ask(socket_, any, &size) != 0) return;
    if (::getnameinfo(any, size, host.data(), host.size(), service.data(), service.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
      return;
    }
    text = host.data();
    port = std::atoi(service.data());
  }

  const int socket_;
  const Clock::time_point begun_ = Clock::now();
  std::array<char, 4096> buffer_{};
  size_t begin_ = 0, end_ = 0, read_ = 0;
};

// A template, so that httplib's form of process_request, which differs, is asked for.
template <class Server>
class OneRequestServer : public Server {
 private:
  bool process_and_close_socket(socket_t socket) {
    bool closed = false, answered = false;
    BoundedStream stream(socket);
    const std::string nobody;
    if constexpr (requires { this->process_request(stream, true, closed, nullptr); }) {
      answered = this->process_request(stream, true, closed, nullptr);
    } else {
      answered = this->process_request(stream, nobody, 0, nobody, 0, true, closed, nullptr);
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return answered;
  }
};

using BoundedServer = OneRequestServer<httplib::Server>;

}  // namespace monitor
}  // namespace systolic::inline v0
