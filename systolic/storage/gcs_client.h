// Requests to Google Cloud Storage's JSON API (cloud.google.com/storage/docs/json_api).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "systolic/base/source_location.h"
#include "systolic/storage/credentials.h"
#include "systolic/storage/http_client.h"
#include "systolic/storage/ranged_file.h"
#include "systolic/storage/retry.h"

namespace systolic::inline v0 {
namespace storage {

struct GcsOptions {
  // "http://host:port" of an emulator. Empty: what STORAGE_EMULATOR_HOST says, which is then asked
  // anonymously, or Google's server.
  std::string endpoint;
  std::shared_ptr<Credentials> credentials;  // null: find_credentials, at the first request
  RangeOptions ranges;
  RetryOptions retry;
  uint64_t upload_piece_bytes = uint64_t{1} << 23;  // a multiple of 256 KiB
};

struct GcsPath {
  std::string bucket, object;  // the object is empty for the bucket itself
};

// "gs://bucket/object". InvalidArgument for anything else.
GcsPath parse_gcs_path(const std::string& path, SourceLocation location);

struct GcsObject {
  uint64_t size = 0;
  int64_t generation = 0;
  std::optional<uint32_t> crc;
};

// What a request is for, as its errors say it.
struct GcsPurpose {
  std::string what;        // "cannot read"
  std::string path;        // "gs://bucket/object"
  std::string permission;  // "storage.objects.get"
  std::string role;        // that has it: "roles/storage.objectViewer"
  SourceLocation location = {};
};

class GcsClient {
 public:
  explicit GcsClient(GcsOptions options);
  const GcsOptions& options() const { return options_; }
  const std::shared_ptr<HttpClient>& http() const { return http_; }

  // "https://storage.googleapis.com/storage/v1/b/BUCKET/o/OBJECT"
  std::string object_url(const GcsPath& path) const;
  std::string bucket_url(const std::string& bucket) const;
  std::string upload_url(const std::string& bucket) const;

  // Adds who asks. Where there is no token, the error says what it was for.
  HttpRequest authorized(HttpRequest request, const GcsPurpose& purpose);
  // Whether an answer refused the request's token, and there may be a new one.
  bool renew(const HttpRequest& request, const HttpResponse& response);
  // Sends an idempotent request until it is answered: with a renewed token, and waits as
  // RetryOptions say. The answer may be a server error.
  HttpResponse send(const HttpRequest& request, const GcsPurpose& purpose);
  // The same; anything but success is thrown.
  HttpResponse require(const HttpRequest& request, const GcsPurpose& purpose);
  // Requests the fields that parse_gcs_object reads.
  HttpRequest description_request(const GcsPath& path) const;
  // Nothing where there is no such object.
  std::optional<GcsObject> find(const GcsPath& path, const GcsPurpose& purpose);
  // The error that fits: which machine, who asked, what is missing, and the command that grants it.
  [[noreturn]] void fail(const HttpResponse& response, const GcsPurpose& purpose);

 private:
  std::shared_ptr<Credentials> credentials();
  std::string remedy_for_refusal(const HttpResponse& response, const GcsPurpose& purpose);
  GcsOptions options_;
  std::shared_ptr<HttpClient> http_;
  std::mutex mutex_;
  std::shared_ptr<Credentials> credentials_;
};

// From the JSON of an object's metadata; `path` is for errors.
GcsObject parse_gcs_object(const std::string& json, const std::string& path);

}  // namespace storage
}  // namespace systolic::inline v0
