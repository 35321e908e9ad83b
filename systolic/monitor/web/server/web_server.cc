#include "systolic/monitor/web/web_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/timeline_json.h"
#include "systolic/monitor/prometheus/metrics_text.h"
#include "systolic/monitor/web/admission.h"
#include "systolic/monitor/web/page_files.h"
#include "systolic/monitor/web/remote_status.h"
#include "systolic/monitor/web/server/bounded_server.h"
#include "systolic/monitor/web/server/bounded_tasks.h"
#include "systolic/monitor/web/server/broadcast.h"
#include "systolic/monitor/web/status_json.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t most_connections = 128;
// Pages that wait for events keep a connection each; the others are for whoever asks once, as
// Prometheus does.
constexpr int most_event_streams = 112;
constexpr int backlog = 512;            // whoever connects while all are taken waits in the system
constexpr int buffer_bytes = 64 << 10;  // of the system, for what a slow reader has not read
// An empty message so often finds readers that are gone.
constexpr auto heartbeat = std::chrono::seconds(15);

const httplib::Headers headers{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

Visitor visitor_of(const httplib::Request& request) {
  return {.host = request.get_header_value("Host"),
          .origin = request.get_header_value("Origin"),
          .site = request.get_header_value("Sec-Fetch-Site"),
          .token = request.has_param("token") ? request.get_param_value("token") : ""};
}

}  // namespace

class WebServer::Implementation {
 public:
  Implementation(const WebAddress& address, WebServerOptions options)
      : options_(std::move(options)) {
    set_up();
    WebAddress bound = address;
    if (address.port == 0) {
      bound.port = server_.bind_to_any_port(address.host);
    } else if (!server_.bind_to_port(address.host, address.port)) {
      bound.port = -1;
    }
    if (bound.port <= 0) {
      raise<Unavailable>({.what = str("the page of the monitor cannot be served at ", address),
                          .hint = "another program may use the port; :0 takes any that is free"});
    }
    ::listen(socket_, backlog);  // httplib's own is 5
    port_ = bound.port;
    admission_.emplace(bound);
    url_ = admission_->url();
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }

  ~Implementation() {
    events_.end();
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server_.stop();
    thread_.join();
  }

  void publish(const RunStatus& status) {
    {
      const std::lock_guard lock(mutex_);
      status_ = std::make_shared<const RunStatus>(status);
    }
    events_.send(
        std::make_shared<const std::string>(str("data: ", status_json(status, false), "\n\n")));
  }

  int port() const { return port_; }
  const std::string& url() const { return url_; }

 private:
  void set_up() {
    server_.new_task_queue = [] { return new BoundedTasks(most_connections); };
    server_.set_default_headers(headers);
    server_.set_payload_max_length(0);
    server_.set_socket_options([this](socket_t socket) {
      socket_ = socket;  // the last one that was tried is the one that is bound
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    });
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      return is_let_in(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                          : httplib::Server::HandlerResponse::Handled;
    });
    for (const PageFile& file : page_files()) {
      server_.Get(std::string(file.path), [file](const auto&, httplib::Response& response) {
        response.set_content(file.content.data(), file.content.size(), file.type);
      });
    }
    server_.Get("/status", [this](const auto&, httplib::Response& response) {
      if (const auto status = last(response)) {
        response.set_content(status_json(*status, true), "application/json");
      }
    });
    server_.Get("/status.raw", [this](const auto&, httplib::Response& response) {
      if (const auto status = last(response)) {
        response.set_content(status_bytes(*status), "application/octet-stream");
      }
    });
    server_.Get("/metrics", [this](const auto&, httplib::Response& response) {
      if (const auto status = last(response)) {
        response.set_content(metrics_text(*status), metrics_content_type);
      }
    });
    server_.Get("/timeline",
                [this](const auto&, httplib::Response& response) { send_timeline(response); });
    server_.Get("/runs", [this](const auto&, httplib::Response& response) { send_runs(response); });
    server_.Get("/events",
                [this](const auto&, httplib::Response& response) { send_events(response); });
  }

  bool is_let_in(const httplib::Request& request, httplib::Response& response) const {
    constexpr int forbidden = 403, wrong_method = 405;
    const bool secret = !request.path.starts_with("/page.");
    const std::string refusal = admission_->refusal(visitor_of(request), secret);
    if (!refusal.empty()) {
      response.status = forbidden;
      response.set_content(refusal + "\n", "text/plain");
    } else if (request.method != "GET" && request.method != "HEAD") {
      response.status = wrong_method;
      response.set_content("only GET\n", "text/plain");
    } else {
      return true;
    }
    return false;
  }

  std::shared_ptr<const RunStatus> last(httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    constexpr int unavailable = 503;
    if (status_ == nullptr) response.status = unavailable;
    return status_;
  }

  void send_timeline(httplib::Response& response) const {
    constexpr double seconds = 0.2;
    send_json(response, options_.record != nullptr,
              [&] { return timeline_json(options_.record(seconds)); });
  }

  // That there are none is no error: every page asks.
  void send_runs(httplib::Response& response) const {
    constexpr int no_content = 204;
    if (options_.runs == nullptr) {
      response.status = no_content;
      return;
    }
    send_json(response, true, [this] { return options_.runs(); });
  }

  // What `make` raises is said.
  template <class Make>
  static void send_json(httplib::Response& response, bool is_there, const Make& make) {
    constexpr int not_found = 404, conflict = 409;
    if (!is_there) {
      response.status = not_found;
      return;
    }
    try {
      response.set_content(make(), "application/json");
    } catch (const Error& error) {
      response.status = conflict;
      response.set_content(str(error.what(), "\n"), "text/plain");
    }
  }

  void send_events(httplib::Response& response) {
    constexpr int unavailable = 503;
    if (event_streams_.fetch_add(1) >= most_event_streams) {
      --event_streams_;
      response.status = unavailable;
      response.set_header("Retry-After", "10");
      response.set_content("as many pages wait for events as the run serves\n", "text/plain");
      return;
    }
    const std::shared_ptr<void> counted(nullptr, [this](void*) { --event_streams_; });
    auto number = std::make_shared<int64_t>(0);
    response.set_chunked_content_provider(
        "text/event-stream", [this, number, counted](size_t, httplib::DataSink& sink) {
          const Broadcast::Message message = events_.next(*number, heartbeat);
          if (message.ended) {
            sink.done();
            return true;
          }
          *number = message.number;
          const std::string_view text = message.text ? std::string_view(*message.text) : ":\n\n";
          return sink.write(text.data(), text.size());
        });
  }

  const WebServerOptions options_;
  std::atomic<int> event_streams_{0};
  int socket_ = -1;  // that listens
  BoundedServer server_;
  Broadcast events_;
  std::mutex mutex_;
  std::shared_ptr<const RunStatus> status_;  // the last; null before the first
  std::optional<Admission> admission_;       // once the port is known
  std::string url_;
  int port_ = 0;
  std::thread thread_;
};

WebServer::WebServer(const WebAddress& address, WebServerOptions options)
    : implementation_(std::make_unique<Implementation>(address, std::move(options))) {}
WebServer::~WebServer() = default;
void WebServer::publish(const RunStatus& status) { implementation_->publish(status); }
int WebServer::port() const { return implementation_->port(); }
const std::string& WebServer::url() const { return implementation_->url(); }

}  // namespace monitor
}  // namespace systolic::inline v0
