// Who asks Google Cloud Storage: access tokens (OAuth 2.0, RFC 6749) from where Google's own
// programs look for them (cloud.google.com/docs/authentication/application-default-credentials).
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "systolic/storage/http_client.h"
#include "systolic/storage/retry.h"

namespace systolic::inline v0 {
namespace storage {

struct AccessToken {
  std::string text;
  double seconds = 0;  // for which it is valid
};

// All functions may be called by several threads.
class Credentials {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~Credentials() = default;
  // A valid token, fetched anew shortly before the last one expires; empty for the anonymous. The
  // last one is used to its end where the token server does not answer.
  std::string token(Time now = std::chrono::steady_clock::now());
  // The server refused this token: forgets it, if it is still the current one. False where there is
  // no other.
  bool refused(const std::string& token);
  // "service account robot@project.iam.gserviceaccount.com", "anonymous"
  virtual std::string principal() = 0;
  // As gcloud's --member wants it.
  virtual std::string member() = 0;
  // The command that helps an account that is no longer known, or may do less than it should.
  virtual std::string login() const = 0;

 protected:
  virtual bool has_tokens() const { return true; }
  virtual AccessToken fetch() = 0;

 private:
  void renew(Time now);
  std::mutex mutex_;
  AccessToken token_;
  Time renewal_, end_;  // when the next one is fetched, and when this one expires
};

std::shared_ptr<Credentials> anonymous_credentials();

// A service account's key, or what `gcloud auth application-default login` wrote. `path` is for
// errors. InvalidArgument for anything else, Unimplemented for kinds that are not known here.
std::shared_ptr<Credentials> credentials_from_json(std::shared_ptr<HttpClient> client,
                                                   const std::string& json, const std::string& path,
                                                   RetryOptions retry = {});

// The credentials of the virtual machine that this runs on; null where no metadata server answers.
// GCE_METADATA_HOST names another server.
std::shared_ptr<Credentials> credentials_from_metadata(std::shared_ptr<HttpClient> client,
                                                       RetryOptions retry = {});

// The first of these that exists: the file that GOOGLE_APPLICATION_CREDENTIALS names, gcloud's
// application-default file (in CLOUDSDK_CONFIG, or ~/.config/gcloud), the metadata server (not
// asked where NO_GCE_CHECK is true), anonymous.
std::shared_ptr<Credentials> find_credentials(std::shared_ptr<HttpClient> client,
                                              RetryOptions retry = {});

}  // namespace storage
}  // namespace systolic::inline v0
