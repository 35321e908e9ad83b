// A small HTTP/1.1 server of this folder's tests: a function answers, and an answer may be faulty.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/text.h"

namespace systolic {

struct TestRequest {
  std::string method, path;                    // with the query
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  // A parameter of the query, still encoded; empty where it is missing.
  std::string parameter(const std::string& name) const {
    const size_t query = path.find('?');
    if (query == std::string::npos) return "";
    for (const std::string& pair : split(path.substr(query + 1), '&')) {
      if (pair.rfind(name + "=", 0) == 0) return pair.substr(name.size() + 1);
    }
    return "";
  }
};

struct TestResponse {
  int status = 200;
  std::vector<std::string> headers = {};
  std::string body = {};
  // The connection is reset after that many bytes of the body.
  std::optional<size_t> reset_after = {};
  // What Content-Length says, if not the truth.
  std::optional<size_t> length = {};
};

class TestHttpServer {
 public:
  using Handler = std::function<TestResponse(const TestRequest&)>;

  explicit TestHttpServer(Handler handler) : handler_(std::move(handler)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    ::listen(socket_, 64);
    socklen_t size = sizeof(address);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~TestHttpServer() {
    stopping_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    acceptor_.join();
    ::close(socket_);
    {
      const std::lock_guard lock(mutex_);
      for (const int connection : open_) ::shutdown(connection, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }
  TestHttpServer(const TestHttpServer&) = delete;
  TestHttpServer& operator=(const TestHttpServer&) = delete;

  std::string url() const { return str("http://", host()); }
  std::string host() const { return str("127.0.0.1:", port_); }
  // What was asked for so far.
  std::vector<TestRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    while (!stopping_) {
      const int connection = ::accept(socket_, nullptr, nullptr);
      if (connection < 0) return;
      const std::lock_guard lock(mutex_);
      open_.push_back(connection);
      threads_.emplace_back([this, connection] { serve(connection); });
    }
  }

  void serve(int connection) {
    std::string buffer;
    TestRequest request;
    while (read_request(connection, buffer, request)) {
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      if (!send_response(connection, handler_(request), request.method == "HEAD")) break;
    }
    const std::lock_guard lock(mutex_);
    open_.erase(std::find(open_.begin(), open_.end(), connection));
    ::close(connection);
  }

  static bool more(int connection, std::string& buffer) {
    char piece[1 << 16];
    const ssize_t count = ::recv(connection, piece, sizeof(piece), 0);
    if (count > 0) buffer.append(piece, static_cast<size_t>(count));
    return count > 0;
  }

  static bool read_request(int connection, std::string& buffer, TestRequest& request) {
    size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      if (!more(connection, buffer)) return false;
    }
    request = {};
    const std::string head = buffer.substr(0, end);
    buffer.erase(0, end + 4);
    const size_t line_end = std::min(head.find("\r\n"), head.size());
    const auto words = split(head.substr(0, line_end), ' ');
    request.method = words[0];
    request.path = words[1];
    for (const std::string& line : split(head.substr(line_end), '\n')) {
      const size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      std::string name(trim(line.substr(0, colon)));
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      request.headers[name] = std::string(trim(line.substr(colon + 1)));
    }
    int64_t length = 0;
    parse_number(request.headers["content-length"], length);
    while (buffer.size() < static_cast<size_t>(length)) {
      if (!more(connection, buffer)) return false;
    }
    request.body = buffer.substr(0, static_cast<size_t>(length));
    buffer.erase(0, static_cast<size_t>(length));
    return true;
  }

  static bool send_response(int connection, const TestResponse& response, bool head_only) {
    std::string text =
        str("HTTP/1.1 ", response.status,
            " Test\r\nContent-Length: ", response.length.value_or(response.body.size()), "\r\n");
    for (const std::string& header : response.headers) text += header + "\r\n";
    text += "\r\n";
    if (!head_only)
      text += response.body.substr(0, response.reset_after.value_or(std::string::npos));
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t count =
          ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<size_t>(count);
    }
    if (!response.reset_after) return true;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    if (*response.reset_after == 0) {
      ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    }
    return false;
  }

  Handler handler_;
  int socket_ = -1, port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<int> open_;
  std::vector<TestRequest> requests_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace systolic
