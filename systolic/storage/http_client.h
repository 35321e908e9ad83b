// HTTP requests, many at a time on one thread, over connections that are kept for the next ones:
// HTTP/2 where the server speaks it, certificates checked, proxies as the environment says.
//
//   HttpResponse response = client->send({.url = "https://example.org/file"});
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace storage {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers = {};  // "Name: value"
  std::string body = {};
  uint64_t most_body_bytes = uint64_t{1} << 24;  // of the answer; more is a fault
  double connect_seconds = 10;
  double stall_seconds = 30;  // at less than HttpClient::least_rate in both directions
  double deadline_seconds = 300;
  bool follow_redirects = false;
  // HTTP/2 from the first byte, as gRPC's servers without certificates speak it, on a connection
  // of its own. What follows the body is among the answer's headers.
  bool http2_at_once = false;
};

struct HttpResponse {
  int status = 0;                              // 0: no answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // what came, also where a fault cut it off
  std::string fault;                           // empty where the whole answer came
  bool too_long = false;                       // the fault: more than most_body_bytes
  // The fault would be the same the next time: a name without an address, an untrusted certificate,
  // a redirection in circles or to something other than https://.
  bool lasting = false;
  bool untrusted = false;  // the fault: its certificate

  // A header's value; empty where it did not come.
  std::string header(const std::string& name) const;
  bool complete() const { return status != 0 && fault.empty(); }
};

class HttpClient {
 public:
  // Bytes a second. A server that sends a byte now and then would else be waited for as long as it
  // likes.
  static constexpr int64_t least_rate = 1000;
  static constexpr size_t buffer_bytes = size_t{1} << 15;  // of each request on its way
  struct Call;
  // A request in flight. Without wait() it is cancelled when this is destroyed.
  class Pending {
   public:
    Pending() = default;
    Pending(std::shared_ptr<HttpClient> client, std::shared_ptr<Call> call);
    Pending(Pending&&) noexcept = default;
    Pending& operator=(Pending&& other) noexcept;
    ~Pending();
    bool empty() const { return call_ == nullptr; }
    // The answer, once; FailedPrecondition for a second call.
    HttpResponse wait();

   private:
    std::shared_ptr<HttpClient> client_;
    std::shared_ptr<Call> call_;
  };

  static std::shared_ptr<HttpClient> create();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  static Pending start(const std::shared_ptr<HttpClient>& client, HttpRequest request);
  static HttpResponse send(const std::shared_ptr<HttpClient>& client, HttpRequest request) {
    return start(client, std::move(request)).wait();
  }

 private:
  struct State;
  HttpClient();
  std::unique_ptr<State> state_;
};

// Every byte except letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace storage
}  // namespace systolic::inline v0
