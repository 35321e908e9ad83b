#include "systolic/monitor/web/post.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <thread>

#include "systolic/base/error.h"

namespace systolic {
namespace {

using monitor::parse_post_address;
using monitor::post;

TEST(Post, Addresses) {
  const auto address = parse_post_address("http://localhost:9000/publish/epoch/end/");
  EXPECT_EQ(address.host, "localhost");
  EXPECT_EQ(address.port, 9000);
  EXPECT_EQ(address.path, "/publish/epoch/end/");
  EXPECT_EQ(parse_post_address("http://here").port, 80);
  EXPECT_EQ(parse_post_address("http://here").path, "/");
  for (const char* bad :
       {"", "localhost:9000", "https://here/", "http://", "http://:80/", "http://here:0/",
        "http://here:70000/", "http://here:x/", "http://me@here/", "http://here/\r\nHost: there"}) {
    EXPECT_THROW(parse_post_address(bad), InvalidArgument) << bad;
  }
}

TEST(Post, FormsAreEncoded) {
  EXPECT_EQ(monitor::form_encoded(R"({"a": 1.5} & ü)"), "%7B%22a%22%3A%201.5%7D%20%26%20%C3%BC");
}

TEST(Post, SendsAndSaysWhatIsWrong) {
  httplib::Server server;
  std::string seen;
  server.Post("/logs", [&](const httplib::Request& request, httplib::Response&) {
    seen = request.get_header_value("Content-Type") + " " + request.get_header_value("X-Key") +
           " " + request.body;
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.listen_after_bind(); });
  const std::string root = "http://127.0.0.1:" + std::to_string(port);
  post({.url = root + "/logs",
        .content_type = "application/json",
        .body = "{}",
        .headers = {{"X-Key", "7"}}});
  EXPECT_EQ(seen, "application/json 7 {}");
  EXPECT_THROW(post({.url = root + "/nowhere"}), Unavailable);
  server.stop();
  thread.join();
  EXPECT_THROW(post({.url = root + "/logs"}), Unavailable);
}

}  // namespace
}  // namespace systolic
