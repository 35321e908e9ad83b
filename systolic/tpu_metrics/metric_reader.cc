#include "systolic/tpu_metrics/metric_reader.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/storage/http_client.h"
#include "systolic/tpu_metrics/metric_service.h"

namespace systolic::inline v0 {
namespace tpu_metrics {
namespace {

using storage::HttpClient;
using storage::HttpRequest;
using storage::HttpResponse;
using Clock = std::chrono::steady_clock;

// gRPC's frame around a message (its HTTP/2 protocol, "Length-Prefixed-Message"): a byte that says
// whether it is compressed, and four with its length, the highest first.
constexpr size_t frame_bytes = 5;

std::string framed(std::string_view message) {
  std::string frame(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += static_cast<char>(message.size() >> shift & 0xff);
  return frame.append(message);
}

// The message of an answer; empty where there is none that is whole.
std::string_view unframed(std::string_view answer) {
  if (answer.size() < frame_bytes || answer[0] != '\0') return {};
  size_t size = 0;
  for (size_t i = 1; i < frame_bytes; ++i) size = size << 8 | static_cast<unsigned char>(answer[i]);
  answer.remove_prefix(frame_bytes);
  return size > answer.size() ? std::string_view() : answer.substr(0, size);
}

HttpRequest request_for(int port, std::string_view metric) {
  constexpr double deadline = 0.5;
  return {.method = "POST",
          .url = str("http://127.0.0.1:", port, method_path),
          .headers = {"content-type: application/grpc", "te: trailers"},
          .body = framed(metric_request(metric)),
          .most_body_bytes = uint64_t{1} << 20,
          .connect_seconds = deadline,
          .deadline_seconds = deadline,
          .http2_at_once = true};
}

std::vector<monitor::DeviceMetric> metrics_of(const HttpResponse& response) {
  const bool answered = response.complete() && response.header("grpc-status") == "0";
  if (!answered) return {};
  try {
    return read_metric_response(unframed(response.body));
  } catch (const InvalidArgument&) {
    return {};  // another service has the port
  }
}

}  // namespace

struct MetricReader::State {
  std::vector<int> ports;
  std::chrono::duration<double> silence;
  std::shared_ptr<HttpClient> client = HttpClient::create();
  Clock::time_point silent_until = {};
};

MetricReader::MetricReader(std::vector<int> ports, double silent_seconds)
    : state_(std::make_unique<State>(State{
          .ports = std::move(ports), .silence = std::chrono::duration<double>(silent_seconds)})) {}

MetricReader::~MetricReader() = default;

std::vector<monitor::DeviceMetric> MetricReader::read() {
  if (Clock::now() < state_->silent_until) return {};
  std::vector<monitor::DeviceMetric> metrics;
  bool anybody = false;
  for (const int port : state_->ports) {
    for (const std::string_view name : metric_names) {
      const HttpResponse response = HttpClient::send(state_->client, request_for(port, name));
      if (response.status == 0) break;  // nobody there
      anybody = true;
      for (const monitor::DeviceMetric& metric : metrics_of(response)) metrics.push_back(metric);
    }
  }
  if (!anybody) {
    state_->silent_until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(state_->silence);
  }
  return metrics;
}

}  // namespace tpu_metrics
}  // namespace systolic::inline v0
