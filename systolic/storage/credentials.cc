#include "systolic/storage/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/storage/jwt.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

using Json = nlohmann::json;

constexpr const char* scope = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr const char* default_token_uri = "https://oauth2.googleapis.com/token";

// Who asks for a token, and where; `login` is the command that helps whoever is refused.
struct TokenRequest {
  std::string principal, from, login;
};

bool fits_a_header(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
}

AccessToken parse_token(const HttpResponse& response, const TokenRequest& asked) {
  const Json json = Json::parse(response.body, nullptr, false);
  const auto token = json.is_object() ? json.find("access_token") : json.end();
  const bool good = response.complete() && response.status == 200 && json.is_object() &&
                    token != json.end() && token->is_string() &&
                    fits_a_header(token->get<std::string>());
  if (good) {
    const auto seconds = json.find("expires_in");
    const double valid =
        seconds != json.end() && seconds->is_number() ? seconds->get<double>() : 0.0;
    return {token->get<std::string>(), valid};
  }
  ErrorReport report{.what = str("no access token for ", asked.principal, " from ", asked.from,
                                 ": ", describe(response)),
                     .got = str("a request of ", io::this_machine()),
                     .hint = asked.login};
  if (response.complete() && !may_pass(response)) raise<PermissionDenied>(std::move(report));
  report.hint = remedy_for(response);
  raise<Unavailable>(std::move(report));
}

class AnonymousCredentials : public Credentials {
 public:
  std::string principal() override { return "anonymous (no credentials were found)"; }
  std::string member() override { return "allUsers"; }
  std::string login() const override {
    return "`gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a "
           "service account's key";
  }

 protected:
  bool has_tokens() const override { return false; }
  AccessToken fetch() override { return {}; }
};

// Both kinds of files: exchanges a text that proves who asks for a token.
class FileCredentials : public Credentials {
 public:
  FileCredentials(std::shared_ptr<HttpClient> client, Json json, std::string path,
                  RetryOptions retry)
      : client_(std::move(client)), json_(std::move(json)), path_(std::move(path)), retry_(retry) {
    token_uri_ = json_.contains("token_uri") ? text("token_uri") : default_token_uri;
    const bool near = token_uri_.rfind("http://127.0.0.1:", 0) == 0 ||
                      token_uri_.rfind("http://localhost:", 0) == 0;
    if (token_uri_.rfind("https://", 0) != 0 && !near) {
      raise<InvalidArgument>({.what = str("'", path_, "': token_uri '", token_uri_, "'"),
                              .wanted = "one that starts with https://"});
    }
  }

 protected:
  std::string text(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end() || !found->is_string()) {
      raise<InvalidArgument>({.what = str("credentials '", path_, "' have no ", name),
                              .hint = "`gcloud auth application-default login` writes a new file"});
    }
    return found->get<std::string>();
  }

  AccessToken exchange(const std::string& form) {
    const HttpRequest request{.method = "POST",
                              .url = token_uri_,
                              .headers = {"Content-Type: application/x-www-form-urlencoded"},
                              .body = form,
                              .deadline_seconds = 60};
    return parse_token(send_retrying(client_, request, retry_), {principal(), token_uri_, login()});
  }
  const std::string& token_uri() const { return token_uri_; }
  const std::string& path() const { return path_; }

 private:
  std::shared_ptr<HttpClient> client_;
  Json json_;
  std::string path_, token_uri_;
  RetryOptions retry_;
};

// developers.google.com/identity/protocols/oauth2/service-account, "HTTP/REST".
class ServiceAccount : public FileCredentials {
 public:
  ServiceAccount(std::shared_ptr<HttpClient> client, const Json& json, const std::string& path,
                 RetryOptions retry)
      : FileCredentials(std::move(client), json, path, retry),
        email_(text("client_email")),
        key_(text("private_key")),
        key_id_(json.contains("private_key_id") ? text("private_key_id") : "") {}
  std::string principal() override { return str("service account ", email_); }
  std::string member() override { return str("serviceAccount:", email_); }
  std::string login() const override {
    return str("`gcloud iam service-accounts keys create ", path(), " --iam-account=", email_,
               "` makes a new key; is the clock of this machine right?");
  }

 protected:
  AccessToken fetch() override {
    constexpr int64_t hour = 3600;
    const auto now = static_cast<int64_t>(std::time(nullptr));
    Json header = {{"alg", "RS256"}, {"typ", "JWT"}};
    if (!key_id_.empty()) header["kid"] = key_id_;
    const Json claims = {
        {"iss", email_}, {"scope", scope}, {"aud", token_uri()}, {"iat", now}, {"exp", now + hour}};
    std::string assertion;
    try {
      assertion = signed_token(header.dump(), claims.dump(), key_);
    } catch (const InvalidArgument& error) {
      error.rethrow_within(str("credentials '", path(), "'"));
    }
    return exchange(str(
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=", assertion));
  }

 private:
  std::string email_, key_, key_id_;
};

// What `gcloud auth application-default login` writes.
class AuthorizedUser : public FileCredentials {
 public:
  AuthorizedUser(std::shared_ptr<HttpClient> client, const Json& json, const std::string& path,
                 RetryOptions retry)
      : FileCredentials(std::move(client), json, path, retry),
        form_(str("grant_type=refresh_token&client_id=", percent_encoded(text("client_id")),
                  "&client_secret=", percent_encoded(text("client_secret")),
                  "&refresh_token=", percent_encoded(text("refresh_token")))),
        account_(json.contains("account") ? text("account") : "") {}
  std::string principal() override {
    return account_.empty() ? str("the user of '", path(), "'") : str("user ", account_);
  }
  std::string member() override {
    return str("user:", account_.empty() ? "$(gcloud config get account)" : account_);
  }
  std::string login() const override {
    return "`gcloud auth application-default login` on this machine";
  }

 protected:
  AccessToken fetch() override { return exchange(form_); }

 private:
  std::string form_, account_;
};

// cloud.google.com/compute/docs/access/authenticate-workloads
class MetadataCredentials : public Credentials {
 public:
  MetadataCredentials(std::shared_ptr<HttpClient> client, std::string email, std::string host,
                      RetryOptions retry)
      : client_(std::move(client)),
        email_(std::move(email)),
        host_(std::move(host)),
        retry_(retry) {}
  static HttpRequest request(const std::string& host, const std::string& what) {
    return {
        .url = str("http://", host, "/computeMetadata/v1/instance/service-accounts/default/", what),
        .headers = {"Metadata-Flavor: Google"},
        .most_body_bytes = 1 << 16,
        .connect_seconds = 1,
        .deadline_seconds = 10};
  }
  std::string principal() override {
    return str("service account ", email_, " of this virtual machine");
  }
  std::string member() override { return str("serviceAccount:", email_); }
  std::string login() const override {
    return str("`gcloud compute instances set-service-account NAME --service-account=", email_,
               " --scopes=storage-rw`, while it is stopped");
  }

 protected:
  AccessToken fetch() override {
    return parse_token(send_retrying(client_, request(host_, "token"), retry_),
                       {principal(), "the metadata server", login()});
  }

 private:
  std::shared_ptr<HttpClient> client_;
  std::string email_, host_;
  RetryOptions retry_;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// gcloud's own file; empty where nobody has a home.
std::string default_file() {
  const std::string name = "/application_default_credentials.json";
  const std::string folder = variable("CLOUDSDK_CONFIG"), home = variable("HOME");
  if (!folder.empty()) return folder + name;
  return home.empty() ? "" : home + "/.config/gcloud" + name;
}

}  // namespace

std::string Credentials::token(Time now) {
  const std::lock_guard lock(mutex_);
  if (!has_tokens() || (!token_.text.empty() && now < renewal_)) return token_.text;
  try {
    renew(now);
  } catch (const Unavailable&) {
    if (token_.text.empty() || now >= end_) throw;
    renewal_ = std::min<Time>(now + std::chrono::seconds(30), end_);  // not with every request
  }
  return token_.text;
}

// Well before its end: requests take time, and clocks differ.
void Credentials::renew(Time now) {
  static constexpr double margin = 300, day = 86400;
  const auto after = [now](double seconds) {
    return now + std::chrono::duration_cast<Time::duration>(
                     std::chrono::duration<double>(std::clamp(seconds, 0.0, day)));
  };
  token_ = fetch();
  renewal_ = after(std::max(token_.seconds - margin, token_.seconds / 2));
  end_ = after(token_.seconds);
}

bool Credentials::refused(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (!has_tokens()) return false;
  if (token_.text == token) token_ = {};
  return true;
}

std::shared_ptr<Credentials> anonymous_credentials() {
  return std::make_shared<AnonymousCredentials>();
}

std::shared_ptr<Credentials> credentials_from_json(std::shared_ptr<HttpClient> client,
                                                   const std::string& json, const std::string& path,
                                                   RetryOptions retry) {
  const Json parsed = Json::parse(json, nullptr, false);
  const auto type = parsed.is_object() ? parsed.find("type") : parsed.end();
  if (!parsed.is_object() || type == parsed.end() || !type->is_string()) {
    raise<InvalidArgument>({.what = str("'", path, "' holds no credentials"),
                            .wanted = "a service account's key or gcloud's file, as JSON",
                            .hint = "`gcloud auth application-default login` writes one"});
  }
  if (*type == "service_account") {
    return std::make_shared<ServiceAccount>(std::move(client), parsed, path, retry);
  }
  if (*type == "authorized_user") {
    return std::make_shared<AuthorizedUser>(std::move(client), parsed, path, retry);
  }
  raise<Unimplemented>(
      {.what = str("credentials '", path, "' are of type '", type->get<std::string>().substr(0, 60),
                   "'"),
       .wanted = "service_account or authorized_user",
       .hint = "use a service account's key, or `gcloud auth application-default login`"});
}

std::shared_ptr<Credentials> credentials_from_metadata(std::shared_ptr<HttpClient> client,
                                                       RetryOptions retry) {
  const std::string named = variable("GCE_METADATA_HOST");
  const std::string host = named.empty() ? "169.254.169.254" : named;
  // Where nobody answers there is no such server, and asking again would waste time.
  HttpResponse response;
  RetryOptions few = retry;
  few.most_attempts = std::min(retry.most_attempts, 3);
  send_retrying(few, [&] {
    response = HttpClient::send(client, MetadataCredentials::request(host, "email"));
    response.lasting = response.lasting || response.status == 0;
    return response;
  });
  if (!response.complete() || response.status != 200 ||
      response.header("metadata-flavor") != "Google") {
    return nullptr;
  }
  return std::make_shared<MetadataCredentials>(
      std::move(client), std::string(trim(response.body)).substr(0, 256), host, retry);
}

std::shared_ptr<Credentials> find_credentials(std::shared_ptr<HttpClient> client,
                                              RetryOptions retry) {
  const std::string named = variable("GOOGLE_APPLICATION_CREDENTIALS");
  if (!named.empty()) {
    const ErrorScope scope_of_errors("GOOGLE_APPLICATION_CREDENTIALS");
    return credentials_from_json(client, io::read_file(named), named, retry);
  }
  const std::string file = default_file();
  if (!file.empty() && io::exists(file)) {
    return credentials_from_json(client, io::read_file(file), file, retry);
  }
  if (variable("NO_GCE_CHECK") != "true") {
    if (auto found = credentials_from_metadata(client, retry)) return found;
  }
  return anonymous_credentials();
}

}  // namespace storage
}  // namespace systolic::inline v0
