#include "systolic/storage/gcs_client.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/encoding/base64.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

using Json = nlohmann::json;

constexpr std::string_view bearer = "Authorization: Bearer ";

std::string emulator_endpoint() {
  const char* host = std::getenv("STORAGE_EMULATOR_HOST");
  if (host == nullptr || *host == '\0') return "";
  std::string endpoint = host;
  if (endpoint.find("://") == std::string::npos) endpoint = "http://" + endpoint;
  while (endpoint.back() == '/') endpoint.pop_back();
  return endpoint;
}

std::string token_of(const HttpRequest& request) {
  for (const std::string& header : request.headers) {
    if (header.rfind(bearer, 0) == 0) return header.substr(bearer.size());
  }
  return "";
}

// Numbers are texts in the API, and sometimes numbers.
bool number_at(const Json& json, const char* name, int64_t& value) {
  const auto found = json.find(name);
  if (found == json.end()) return false;
  if (found->is_string()) return parse_number(found->get<std::string>(), value) && value >= 0;
  if (!found->is_number_unsigned() || found->get<uint64_t>() > INT64_MAX) return false;
  value = found->get<int64_t>();
  return true;
}

std::string bucket_of(const std::string& path) {
  const size_t start = std::min(path.size(), path.find("://") + 3);
  return path.substr(start, path.find('/', start) - start);
}

}  // namespace

GcsPath parse_gcs_path(const std::string& path, SourceLocation location) {
  constexpr std::string_view scheme = "gs://";
  constexpr size_t most_object_bytes = 1024, most_bucket_bytes = 222;
  const std::string_view rest = std::string_view(path).substr(std::min(path.size(), scheme.size()));
  const size_t slash = rest.find('/');
  GcsPath result{.bucket = std::string(rest.substr(0, slash)), .object = {}};
  if (slash != std::string_view::npos) result.object = std::string(rest.substr(slash + 1));
  const auto of_bucket = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (path.rfind(scheme, 0) != 0 || result.bucket.empty() ||
      result.bucket.size() > most_bucket_bytes ||
      !std::all_of(result.bucket.begin(), result.bucket.end(), of_bucket) ||
      result.object.size() > most_object_bytes) {
    raise<InvalidArgument>(
        {.what = str("'", path.substr(0, 2 * most_object_bytes), "' is not the path of an object"),
         .wanted = "gs://bucket/object, the bucket of lower-case letters, digits, '-', '_', '.'",
         .location = location});
  }
  return result;
}

GcsObject parse_gcs_object(const std::string& text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  int64_t size = 0, generation = 0;
  if (!json.is_object() || !number_at(json, "size", size) ||
      !number_at(json, "generation", generation)) {
    raise<DataLoss>({.what = str("'", path,
                                 "': the server's description of the object has no size "
                                 "and generation")});
  }
  GcsObject object{.size = static_cast<uint64_t>(size), .generation = generation, .crc = {}};
  const auto crc = json.find("crc32c");
  if (crc != json.end() && crc->is_string()) {
    const auto bytes = io::from_base64(crc->get<std::string>());
    if (bytes && bytes->size() == 4) {  // big-endian
      uint32_t value = 0;
      for (const char byte : *bytes) value = value << 8 | static_cast<unsigned char>(byte);
      object.crc = value;
    }
  }
  return object;
}

GcsClient::GcsClient(GcsOptions options)
    : options_(std::move(options)),
      http_(HttpClient::create()),
      credentials_(options_.credentials) {
  options_.ranges.retry = options_.retry;
  if (options_.endpoint.empty()) {
    options_.endpoint = emulator_endpoint();
    if (!options_.endpoint.empty() && credentials_ == nullptr) {
      credentials_ = anonymous_credentials();
    }
  }
  if (options_.endpoint.empty()) options_.endpoint = "https://storage.googleapis.com";
}

std::string GcsClient::bucket_url(const std::string& bucket) const {
  return str(options_.endpoint, "/storage/v1/b/", percent_encoded(bucket), "/o");
}
std::string GcsClient::object_url(const GcsPath& path) const {
  return str(bucket_url(path.bucket), "/", percent_encoded(path.object));
}
std::string GcsClient::upload_url(const std::string& bucket) const {
  return str(options_.endpoint, "/upload/storage/v1/b/", percent_encoded(bucket), "/o");
}

std::shared_ptr<Credentials> GcsClient::credentials() {
  const std::lock_guard lock(mutex_);
  if (credentials_ == nullptr) credentials_ = find_credentials(http_, options_.retry);
  return credentials_;
}

HttpRequest GcsClient::authorized(HttpRequest request, const GcsPurpose& purpose) {
  try {
    const std::string token = credentials()->token();
    if (!token.empty()) request.headers.push_back(str(bearer, token));
    return request;
  } catch (const Error& error) {
    error.rethrow_within(
        str(purpose.what, " '", purpose.path, "', which needs ", purpose.permission),
        purpose.location);
  }
}

bool GcsClient::renew(const HttpRequest& request, const HttpResponse& response) {
  const std::string token = token_of(request);
  return response.status == 401 && !token.empty() && credentials()->refused(token);
}

HttpResponse GcsClient::send(const HttpRequest& request, const GcsPurpose& purpose) {
  bool renewed = false;
  return send_retrying(options_.retry, [&] {
    const HttpRequest with_token = authorized(request, purpose);
    HttpResponse response = HttpClient::send(http_, with_token);
    if (renewed || !renew(with_token, response)) return response;
    renewed = true;
    return HttpClient::send(http_, authorized(request, purpose));
  });
}

HttpResponse GcsClient::require(const HttpRequest& request, const GcsPurpose& purpose) {
  HttpResponse response = send(request, purpose);
  if (!response.complete() || response.status < 200 || response.status > 299) {
    fail(response, purpose);
  }
  return response;
}

HttpRequest GcsClient::description_request(const GcsPath& path) const {
  return {.url = object_url(path) + "?fields=size,generation,crc32c"};
}

std::optional<GcsObject> GcsClient::find(const GcsPath& path, const GcsPurpose& purpose) {
  const HttpResponse response = send(description_request(path), purpose);
  if (response.complete() && response.status == 404) return std::nullopt;
  if (!response.complete() || response.status != 200) fail(response, purpose);
  return parse_gcs_object(response.body, purpose.path);
}

// A token that is not accepted, or has a narrower scope, is not a matter of permissions. Google's
// own words for the latter: "Provided scope(s) are not authorized".
std::string GcsClient::remedy_for_refusal(const HttpResponse& response, const GcsPurpose& purpose) {
  const auto principal = credentials();
  const bool of_token = response.status == 401 || response.body.find("scope") != std::string::npos;
  if (of_token || principal->member() == "allUsers") return principal->login();
  return str("`gcloud storage buckets add-iam-policy-binding gs://", bucket_of(purpose.path),
             " --member=", principal->member(), " --role=", purpose.role, "`");
}

void GcsClient::fail(const HttpResponse& response, const GcsPurpose& purpose) {
  const std::string bucket = bucket_of(purpose.path);
  const std::string emulator = emulator_endpoint();
  ErrorReport report{
      .what = str(purpose.what, " '", purpose.path, "': ", describe(response)),
      .got = str("a request of ", io::this_machine(), " as ", credentials()->principal()),
      .location = purpose.location};
  if (!emulator.empty() && options_.endpoint == emulator) {
    report.got += str(", of ", emulator, " as STORAGE_EMULATOR_HOST says");
  }
  switch (response.complete() ? response.status : 0) {
    case 401:
    case 403:
      report.wanted = str("somebody with the permission ", purpose.permission);
      report.hint = remedy_for_refusal(response, purpose);
      raise<PermissionDenied>(std::move(report));
    case 404:
      report.hint = response.body.find("bucket does not exist") != std::string::npos
                        ? "`gcloud storage ls` lists the buckets of your project"
                        : str("`gcloud storage ls gs://", bucket, "` lists what is there");
      raise<NotFound>(std::move(report));
    case 412:
      report.hint = "another program replaced it meanwhile: open it again";
      raise<FailedPrecondition>(std::move(report));
    case 400:
      raise<InvalidArgument>(std::move(report));
    default:
      report.hint = remedy_for(response);
      raise<Unavailable>(std::move(report));
  }
}

}  // namespace storage
}  // namespace systolic::inline v0
