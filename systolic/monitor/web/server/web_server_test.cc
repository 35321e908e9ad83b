// The page's server: what it gives, whom it refuses, and readers that do not read.
#include "systolic/monitor/web/web_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <array>
#include <memory>
#include <string_view>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/monitor/web/admission.h"
#include "systolic/monitor/web/remote_status.h"
#include "systolic/monitor/web/status_json.h"

namespace systolic {
namespace {

using monitor::Admission;
using monitor::RunStatus;
using monitor::WebServer;

std::unique_ptr<RunStatus> served_run() {
  auto status = std::make_unique<RunStatus>();
  status->run = 1;
  status->name = "a \"net\"";
  status->steps = 420;
  status->loss = 0.5;
  status->core_count = status->all_cores = 1;
  status->core_list[0].mxu_percent = 0.25f;
  status->point_count = 2;
  status->point_list[1] = {.time = 2, .loss = 0.5f};
  return status;
}

httplib::Client client_of(const WebServer& server) {
  return httplib::Client("127.0.0.1", server.port());
}

TEST(WebServer, GivesThePageTheStatusAndTheMetrics) {
  WebServer server({});
  httplib::Client client = client_of(server);
  EXPECT_EQ(client.Get("/status")->status, 503);  // no run yet
  server.publish(*served_run());
  const auto page = client.Get("/");
  EXPECT_EQ(page->status, 200);
  EXPECT_CONTAINS(page->body, "<script src=\"page.js\">");
  EXPECT_CONTAINS(page->get_header_value("Content-Security-Policy"), "default-src 'none'");
  EXPECT_EQ(client.Get("/page.js")->status, 200);
  EXPECT_EQ(client.Get("/page.css")->status, 200);
  EXPECT_CONTAINS(client.Get("/status")->body, "\"name\":\"a \\\"net\\\"\"");
  EXPECT_CONTAINS(client.Get("/metrics")->body, "systolic_step_total 420\n");
}

TEST(WebServer, GivesItsStatusToReadersElsewhere) {
  WebServer server({});
  const monitor::RemoteStatusReader reader(str(":", server.port()));
  EXPECT_EQ(reader.read(), nullptr);
  server.publish(*served_run());
  const auto status = reader.read();
  EXPECT_EQ(status->steps, 420);
  EXPECT_EQ(status->name.view(), "a \"net\"");
  EXPECT_EQ(status->points().size(), 2u);
}

TEST(WebServer, ReadersElsewhereSayWhatIsWrong) {
  WebServer with_token({.host = "0.0.0.0"});
  with_token.publish(*served_run());
  EXPECT_EQ(monitor::RemoteStatusReader(with_token.url()).read()->steps, 420);
  EXPECT_THROW(monitor::RemoteStatusReader(str("127.0.0.1:", with_token.port())).read(),
               PermissionDenied);
  httplib::Server other;
  other.Get("/status.raw", [](const auto&, httplib::Response& response) {
    response.set_content("something else", "text/plain");
  });
  const int port = other.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { other.listen_after_bind(); });
  EXPECT_THROW(monitor::RemoteStatusReader(str(":", port)).read(), DataLoss);
  other.stop();
  thread.join();
  EXPECT_THROW(monitor::RemoteStatusReader(str(":", port)).read(), Unavailable);
  EXPECT_THROW(monitor::RemoteStatusReader("here"), InvalidArgument);
  std::string bytes = monitor::status_bytes(*served_run());
  EXPECT_THROW(monitor::status_of_bytes(bytes.substr(0, bytes.size() - 1)), DataLoss);
  EXPECT_THROW(monitor::status_of_bytes(""), DataLoss);
  ++bytes[8];  // the version
  EXPECT_THROW(monitor::status_of_bytes(bytes), FailedPrecondition);
}

monitor::Profile served_profile(double seconds) {
  monitor::Profile profile;
  profile.recorded.works = {{}, {.kind = spans::WorkKind::step, .name = "step"}};
  profile.recorded.duration_ns = static_cast<int64_t>(seconds * 1e9);
  profile.recorded.threads = {
      {.id = 1, .name = "main", .spans = {{1000, 5000, 1, false, 7}, {6000, 9000, 1, false, 8}}}};
  return profile;
}

TEST(WebServer, GivesATimeline) {
  WebServer server({}, {.record = served_profile});
  const auto answer = client_of(server).Get("/timeline");
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, R"({"duration":2e+05,"lost":0,"works":[{"name":"step","kind":"step"}],)"
                          R"("tracks":[{"name":"core 0","spans":[[1,4,0,0,7],[6,3,0,0,8]]},)"
                          R"({"name":"main","spans":[[1,4,0,0,7],[6,3,0,0,8]]}]})");
  EXPECT_EQ(client_of(server).Get("/page.timeline.js")->status, 200);
  WebServer without({});
  EXPECT_EQ(client_of(without).Get("/timeline")->status, 404);
  WebServer busy({}, {.record = [](double) -> monitor::Profile {
                   raise<FailedPrecondition>({.what = "a profile is being recorded"});
                 }});
  EXPECT_EQ(client_of(busy).Get("/timeline")->status, 409);
}

TEST(WebServer, GivesTheRunsToCompare) {
  WebServer server({}, {.runs = [] { return R"({"runs":[]})"; }});
  EXPECT_EQ(client_of(server).Get("/runs")->body, R"({"runs":[]})");
  WebServer without({});
  EXPECT_EQ(client_of(without).Get("/runs")->status, 204);
}

TEST(WebServer, SendsEventsAsTheyCome) {
  WebServer server({});
  server.publish(*served_run());
  std::string received;
  client_of(server).Get("/events", [&](const char* data, size_t size) {
    received.append(data, size);
    return received.find("\n\n") == std::string::npos;  // one is enough
  });
  EXPECT_EQ(received.rfind("data: {", 0), 0u) << received;
  EXPECT_CONTAINS(received, "\"steps\":420");
  EXPECT_CONTAINS(received, "\"points\":[{\"time\":2");  // the last alone
}

// Who connects is answered by nobody, as by a process that is stopped.
TEST(WebServer, AStoppedRunListensAndDoesNotAnswer) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size);
  const monitor::RemoteStatusReader reader(str(":", ntohs(address.sin_port)));
  EXPECT_CONTAINS(error_of([&] { reader.read(); }), "listens, but does not answer");
  ::close(listening);
  EXPECT_CONTAINS(error_of([&] { reader.read(); }), "no run is shown at ");
}

TEST(WebServer, AnswersNothingElse) {
  WebServer server({});
  server.publish(*served_run());
  httplib::Client client = client_of(server);
  for (const char* path : {"/../etc/passwd", "/%2e%2e/etc/passwd", "/page/", "/status/x"}) {
    EXPECT_EQ(client.Get(path)->status, 404) << path;
  }
  EXPECT_EQ(client.Post("/status", "", "text/plain")->status, 405);
  EXPECT_EQ(client.Get("/status", {{"Host", "evil.example:80"}})->status, 403);
  EXPECT_EQ(client.Get("/status", {{"Origin", "http://evil.example"}})->status, 403);
  EXPECT_EQ(client.Get("/status", {{"Sec-Fetch-Site", "cross-site"}})->status, 403);
  EXPECT_EQ(client.Get("/status", {{"Sec-Fetch-Site", "same-origin"}})->status, 200);
}

TEST(WebServer, APortInUseIsAnError) {
  const WebServer server({});
  EXPECT_THROW(WebServer({.port = server.port()}), Unavailable);
}

int connected_to(const WebServer& server, int kind) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM | kind, 0);
  ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return socket;
}

// Endless lines, headers and bodies: the server takes a few kilobytes and hangs up.
TEST(WebServer, RequestsWithoutEndAreCutOff) {
  WebServer server({});
  server.publish(*served_run());
  const std::string host = str("Host: 127.0.0.1:", server.port(), "\r\n");
  const struct {
    std::string begin, on;
  } requests[] = {
      {"GET /", std::string(1024, 'a')},
      {str("GET / HTTP/1.1\r\n", host, "X-Long: "), std::string(1024, 'a')},
      {str("GET / HTTP/1.1\r\n", host), "X-Many: 1\r\n"},
      {str("POST / HTTP/1.1\r\n", host, "Content-Length: 1000000000\r\n\r\n"), "aaaa"},
      {str("GET / HTTP/1.1\r\n", host, "Transfer-Encoding: chunked\r\n\r\n"), "4\r\naaaa\r\n"}};
  for (const auto& [begin, on] : requests) {
    const int socket = connected_to(server, 0);
    ::send(socket, begin.data(), begin.size(), MSG_NOSIGNAL);
    constexpr size_t most = 64 << 20;
    size_t sent = 0;
    for (ssize_t count = 0; sent < most && count >= 0; sent += static_cast<size_t>(count)) {
      count = ::send(socket, on.data(), on.size(), MSG_NOSIGNAL);
      if (count < 0) break;
    }
    EXPECT_LT(sent, most) << begin;
    ::close(socket);
    EXPECT_EQ(client_of(server).Get("/status")->status, 200);
  }
}

// More readers than there are threads, none of which reads: the run is not held up, and the server
// ends.
TEST(WebServer, ReadersThatDoNotReadHoldUpNobody) {
  std::vector<int> sockets;
  {
    WebServer server({});
    server.publish(*served_run());
    const std::string request =
        str("GET /events HTTP/1.1\r\nHost: 127.0.0.1:", server.port(), "\r\n\r\n");
    for (int i = 0; i < 300; ++i) sockets.push_back(connected_to(server, SOCK_NONBLOCK));
    for (const int socket : sockets)
      (void)!::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    for (int i = 0; i < 200; ++i) server.publish(*served_run());
    // Prometheus comes through, and a page that has no place is told so.
    EXPECT_CONTAINS(client_of(server).Get("/metrics")->body, "systolic_step_total 420\n");
    int refused = 0;
    for (int i = 0; i < 300 && refused == 0; ++i) {
      std::array<char, 12> answer{};
      const int socket = sockets[sockets.size() - 1 - static_cast<size_t>(i)];
      const bool answered = ::recv(socket, answer.data(), answer.size(), 0) > 0;
      if (answered && std::string_view(answer.data(), answer.size()) == "HTTP/1.1 503") ++refused;
    }
    EXPECT_EQ(refused, 1);
  }
  for (const int socket : sockets) ::close(socket);
}

TEST(Admission, ElsewhereNeedsAToken) {
  const Admission here({.port = 8080}), elsewhere({.host = "0.0.0.0", .port = 8080});
  EXPECT_EQ(here.token(), "");
  EXPECT_EQ(here.url(), "http://127.0.0.1:8080/");
  EXPECT_EQ(elsewhere.token().size(), 32u);
  EXPECT_EQ(elsewhere.url(), "http://0.0.0.0:8080/?token=" + elsewhere.token());
  EXPECT_EQ(here.refusal({.host = "localhost:8080"}), "");
  EXPECT_EQ(here.refusal({.host = "[::1]:8080"}), "");
  EXPECT_NE(here.refusal({.host = "localhost:8081"}), "");
  EXPECT_NE(here.refusal({}), "");
  const std::string host = "train.example:8080";
  EXPECT_EQ(elsewhere.refusal({.host = host, .token = elsewhere.token()}), "");
  EXPECT_NE(elsewhere.refusal({.host = host}), "");
  EXPECT_NE(elsewhere.refusal({.host = host, .token = std::string(32, '0')}), "");
  EXPECT_EQ(elsewhere.refusal({.host = host}, false), "");  // the page's own files
  EXPECT_NE(elsewhere.refusal(
                {.host = host, .origin = "http://evil.example", .token = elsewhere.token()}),
            "");
}

TEST(WebAddress, IsReadAndChecked) {
  const auto parsed = [](const char* text) { return to_string(monitor::parse_web_address(text)); };
  EXPECT_EQ(parsed(":8080"), "127.0.0.1:8080");
  EXPECT_EQ(parsed("8080"), "127.0.0.1:8080");
  EXPECT_EQ(parsed("0.0.0.0:0"), "0.0.0.0:0");
  EXPECT_EQ(parsed("[::1]:80"), "[::1]:80");
  for (const char* text : {"", ":", "x", ":-1", ":65536", "a b:80", "::1:80", "host:80x"}) {
    EXPECT_THROW(parsed(text), InvalidArgument) << text;
  }
}

TEST(StatusJson, HasNullsWhereNothingIsKnown) {
  auto status = served_run();
  status->loss = std::numeric_limits<double>::infinity();
  const std::string text = monitor::status_json(*status, true);
  EXPECT_CONTAINS(text, "\"loss\":null");
  EXPECT_CONTAINS(text, "\"idle_percent\":null");
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace systolic
