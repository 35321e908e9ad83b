// RemoteMonitor's requests, byte by byte, at a server that answers what it is told.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/events/training_run.h"
#include "systolic/train/callbacks/logging/remote_monitor.h"

namespace systolic {
namespace {

// Answers each request with the status, and keeps the requests.
class LogServer {
 public:
  explicit LogServer(int requests, int status) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 4), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([=, this] {
      for (int i = 0; i < requests; ++i) answer(status);
    });
  }
  ~LogServer() {
    join();
    close(socket_);
  }
  std::string root() const { return str("http://127.0.0.1:", port_); }
  const std::string& requests() {
    join();
    return requests_;
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  void answer(int status) {
    const int connection = accept(socket_, nullptr, nullptr);
    std::string request;
    std::array<char, 4096> piece{};
    while (!is_whole(request)) {
      const ssize_t got = recv(connection, piece.data(), piece.size(), 0);
      if (got <= 0) break;
      request.append(piece.data(), static_cast<size_t>(got));
    }
    const std::string text =
        str("HTTP/1.1 ", status, " Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    send(connection, text.data(), text.size(), 0);
    close(connection);
    requests_ += request + "\n";
  }
  static bool is_whole(const std::string& request) {
    const size_t head = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
    if (head == request.npos || length == request.npos) return false;
    const size_t body = std::stoul(request.substr(length + 16));
    return request.size() >= head + 4 + body;
  }

  int socket_ = -1, port_ = 0;
  std::thread thread_;
  std::string requests_;
};

void run_epochs(const RemoteMonitor& remote, int epochs) {
  TrainingRun run({.epochs = epochs, .sinks = {remote}});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    run.begin_epoch(epoch);
    run.end_step();
    run.end_epoch({{"loss", 0.25}, {"val_loss", 1.5}});
  }
}

TEST(RemoteMonitor, SendsEachEpochAsAForm) {
  LogServer server(2, 200);
  run_epochs({.root = server.root(), .headers = {{"X-Key", "7"}}}, 2);
  EXPECT_CONTAINS(server.requests(), "POST /publish/epoch/end/ HTTP/1.1\r\n");
  EXPECT_CONTAINS(server.requests(), "X-Key: 7\r\n");
  EXPECT_CONTAINS(server.requests(),
                  "data=%7B%22epoch%22%3A0%2C%22loss%22%3A0.25%2C%22val_loss%22%3A1.5%7D\n");
  EXPECT_CONTAINS(server.requests(), "data=%7B%22epoch%22%3A1%2C");
}

TEST(RemoteMonitor, SendsJSON) {
  LogServer server(1, 201);
  run_epochs({.root = server.root(), .path = "/logs", .send_as_json = true}, 1);
  EXPECT_CONTAINS(server.requests(), "POST /logs HTTP/1.1\r\n");
  EXPECT_CONTAINS(server.requests(), "Content-Type: application/json\r\n");
  EXPECT_CONTAINS(server.requests(), "\r\n\r\n{\"epoch\":0,\"loss\":0.25,\"val_loss\":1.5}\n");
}

TEST(RemoteMonitor, AServerThatRefusesOrIsNotThereIsOneWarning) {
  std::string gone;
  {
    const CaughtLog log;
    LogServer server(2, 500);
    run_epochs({.root = server.root()}, 2);
    gone = server.root();
    EXPECT_CONTAINS(log.warnings(), "did not take the logs");
    EXPECT_CONTAINS(log.warnings(), "status 500");
    EXPECT_EQ(log.warnings().find("RemoteMonitor"), log.warnings().rfind("RemoteMonitor"));
  }
  const CaughtLog log;
  run_epochs({.root = gone}, 2);
  EXPECT_CONTAINS(log.warnings(), "did not take the logs");
}

TEST(RemoteMonitor, RefusesWhatIsNoAddress) {
  EXPECT_THROW(static_cast<void>(EventSinkPtr(RemoteMonitor{.root = "https://here"})),
               InvalidArgument);
}

}  // namespace
}  // namespace systolic
