#include "systolic/storage/retry.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

using Json = nlohmann::json;

std::string_view reason_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 416:
      return "Range Not Satisfiable";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

// Text from a server, as one line of bounded length.
std::string one_line(std::string_view text) {
  constexpr size_t most = 300;
  std::string line(trim(text.substr(0, most)));
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
  return line;
}

// Google's servers answer {"error": {"message": ...}}, its token server {"error_description": ...}.
std::string message_of(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_object()) {
    const auto error = json.find("error");
    if (error != json.end() && error->is_object() && error->contains("message") &&
        (*error)["message"].is_string()) {
      return one_line((*error)["message"].get<std::string>());
    }
    for (const char* name : {"error_description", "error"}) {
      if (json.contains(name) && json[name].is_string()) {
        return one_line(json[name].get<std::string>());
      }
    }
    return "";
  }
  return body.rfind('<', 0) == 0 ? "" : one_line(body);
}

}  // namespace

bool may_pass(const HttpResponse& response) {
  if (response.too_long || response.lasting) return false;
  if (!response.complete()) return true;
  switch (response.status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

void wait_before_attempt(int attempt, const HttpResponse& previous, const RetryOptions& options) {
  static thread_local std::minstd_rand random(std::random_device{}());
  double seconds = options.first_wait_seconds * std::pow(2.0, attempt - 1);
  double wanted = 0;
  if (parse_number(previous.header("retry-after"), wanted)) seconds = std::max(seconds, wanted);
  seconds = std::clamp(seconds, 0.0, options.longest_wait_seconds);
  seconds *= std::uniform_real_distribution<double>(0.5, 1)(random);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

HttpResponse send_retrying(const RetryOptions& options, FunctionRef<HttpResponse()> send) {
  for (int attempt = 1;; ++attempt) {
    HttpResponse response = send();
    if (!may_pass(response) || attempt >= options.most_attempts) return response;
    wait_before_attempt(attempt, response, options);
  }
}

HttpResponse send_retrying(const std::shared_ptr<HttpClient>& client, const HttpRequest& request,
                           const RetryOptions& options) {
  return send_retrying(options, [&] { return HttpClient::send(client, request); });
}

std::string describe(const HttpResponse& response) {
  if (response.status == 0) return str("no answer: ", one_line(response.fault));
  std::string text = str(response.status);
  if (const auto reason = reason_of(response.status); !reason.empty()) text += str(" ", reason);
  if (!response.fault.empty()) return str(text, ", cut off: ", one_line(response.fault));
  const std::string message = message_of(response.body);
  return message.empty() ? text : str(text, ": ", message);
}

std::string remedy_for(const HttpResponse& response) {
  if (response.untrusted)
    return "CURL_CA_BUNDLE names a file with the certificates to trust; is the clock right?";
  if (response.status == 0)
    return "is this machine on the network, and the name right? https_proxy names a proxy";
  if (may_pass(response))
    return "it was asked several times: try again later, or fewer files at a time";
  return "";
}

}  // namespace storage
}  // namespace systolic::inline v0
