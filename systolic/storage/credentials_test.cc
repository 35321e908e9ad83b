// Tokens from each place where they come from, their end, and what errors say of who asked.
#include "systolic/storage/credentials.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstdlib>

#include "systolic/base/test_errors.h"
#include "systolic/io/base64.h"
#include "systolic/io/test_files.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/jwt.h"
#include "systolic/storage/test_gcs_server.h"

namespace systolic {
namespace {

using Json = nlohmann::json;
using storage::HttpClient;

const storage::RetryOptions quick = {
    .most_attempts = 3, .first_wait_seconds = 0.001, .longest_wait_seconds = 0.002};

// An environment variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

EVP_PKEY* test_key() {
  static EVP_PKEY* key = ::EVP_RSA_gen(2048);
  return key;
}

std::string test_key_pem() {
  BIO* bio = ::BIO_new(::BIO_s_mem());
  ::PEM_write_bio_PrivateKey(bio, test_key(), nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const auto size = static_cast<size_t>(::BIO_get_mem_data(bio, &data));
  std::string pem(data, size);
  ::BIO_free(bio);
  return pem;
}

std::string plain_base64(std::string text) {
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  return *io::from_base64(text);
}

TEST(Jwt, Base64OfUrls) { EXPECT_EQ(storage::base64_of_urls("\xfb\xff"), "-_8"); }

// The token server checks the signature with the public key, and the claims.
TEST(Credentials, AServiceAccountSignsItsClaims) {
  std::string problem = "nobody asked";
  TestHttpServer server([&](const TestRequest& request) -> TestResponse {
    const std::string start =
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    const auto parts = split(request.body.substr(std::min(start.size(), request.body.size())), '.');
    if (request.body.rfind(start, 0) != 0 || parts.size() != 3) {
      problem = request.body;
      return {.status = 400};
    }
    const std::string text = parts[0] + "." + parts[1], signature = plain_base64(parts[2]);
    EVP_MD_CTX* context = ::EVP_MD_CTX_new();
    ::EVP_DigestVerifyInit(context, nullptr, ::EVP_sha256(), nullptr, test_key());
    const int good = ::EVP_DigestVerify(
        context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
        reinterpret_cast<const unsigned char*>(text.data()), text.size());
    ::EVP_MD_CTX_free(context);
    const Json header = Json::parse(plain_base64(parts[0]));
    const Json claims = Json::parse(plain_base64(parts[1]));
    problem = good != 1                                        ? "the signature"
              : header["alg"] != "RS256"                       ? "the algorithm"
              : header["kid"] != "key1"                        ? "the key's name"
              : claims["iss"] != "robot@example.org"           ? "the account"
              : claims["exp"] != int64_t{claims["iat"]} + 3600 ? "the times"
                                                               : "";
    return {.body = R"({"access_token": "t1", "expires_in": 3599})"};
  });
  const Json key = {{"type", "service_account"},
                    {"client_email", "robot@example.org"},
                    {"private_key", test_key_pem()},
                    {"private_key_id", "key1"},
                    {"token_uri", server.url() + "/token"}};
  const auto credentials =
      storage::credentials_from_json(HttpClient::create(), key.dump(), "key.json", quick);
  EXPECT_EQ(credentials->token(), "t1");
  EXPECT_EQ(problem, "");
  EXPECT_EQ(credentials->token(), "t1");
  EXPECT_EQ(server.requests().size(), 1u);  // the token is kept
  EXPECT_EQ(credentials->principal(), "service account robot@example.org");
  EXPECT_EQ(credentials->member(), "serviceAccount:robot@example.org");
}

TEST(Credentials, FilesThatAreNoneAreRefused) {
  const auto client = HttpClient::create();
  const std::pair<const char*, const char*> cases[] = {
      {"", "InvalidArgument: 'key.json' holds no credentials"},
      {"[1]", "InvalidArgument: 'key.json' holds no credentials"},
      {R"({"type": 7})", "InvalidArgument: 'key.json' holds no credentials"},
      {R"({"type": "external_account"})", "Unimplemented: credentials 'key.json' are of type"},
      {R"({"type": "service_account"})",
       "InvalidArgument: credentials 'key.json' have no client_email"},
      {R"({"type": "authorized_user", "client_id": "a", "client_secret": "b"})",
       "have no refresh_token"},
      {R"({"type": "authorized_user", "token_uri": "http://example.org/"})",
       "token_uri 'http://example.org/', expected one that starts with https://"},
      {R"({"type": "service_account", "client_email": "a", "private_key": "x"})",
       "InvalidArgument: credentials 'key.json': the private key is no RSA key in PEM form"}};
  for (const auto& [json, error] : cases) {
    EXPECT_CONTAINS(error_of([&, text = json] {
                      storage::credentials_from_json(client, text, "key.json")->token();
                    }),
                    error);
  }
}

TEST(Credentials, AUsersFileIsExchangedForATokenAndRetried) {
  int asked = 0;
  TestHttpServer server([&](const TestRequest& request) -> TestResponse {
    if (++asked < 3) return {.status = 503};
    if (request.body !=
        "grant_type=refresh_token&client_id=i%26d&client_secret=s&refresh_token=r") {
      return {.status = 400, .body = R"({"error": "invalid_request"})"};
    }
    return {.body = R"({"access_token": "t", "expires_in": 0})"};
  });
  TemporaryFolder folder;
  const Json user = {{"type", "authorized_user"},   {"client_id", "i&d"},
                     {"client_secret", "s"},        {"refresh_token", "r"},
                     {"account", "me@example.org"}, {"token_uri", server.url()}};
  put_file(folder / "application_default_credentials.json", user.dump());
  const Variable none("GOOGLE_APPLICATION_CREDENTIALS", ""), config("CLOUDSDK_CONFIG", folder / "");
  const auto credentials = storage::find_credentials(HttpClient::create(), quick);
  EXPECT_EQ(credentials->token(), "t");
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(credentials->token(), "t");
  EXPECT_EQ(asked, 4);  // a token that lives no longer is fetched anew
  EXPECT_EQ(credentials->member(), "user:me@example.org");
}

TEST(Credentials, ARefusalNamesWhoAsked) {
  TestHttpServer server([&](const TestRequest&) -> TestResponse {
    return {.status = 400,
            .body = R"({"error": "invalid_grant", "error_description": "Bad Request"})"};
  });
  const Json user = {{"type", "authorized_user"},
                     {"client_id", "i"},
                     {"client_secret", "s"},
                     {"refresh_token", "r"},
                     {"token_uri", server.url()}};
  const auto credentials =
      storage::credentials_from_json(HttpClient::create(), user.dump(), "adc.json", quick);
  const std::string error = error_of([&] { credentials->token(); });
  EXPECT_CONTAINS(error,
                  "PermissionDenied: no access token for the user of 'adc.json' from http://");
  EXPECT_CONTAINS(error, "400 Bad Request: Bad Request");
  EXPECT_CONTAINS(error, "gcloud auth application-default login");
}

TestResponse metadata_server(const TestRequest& request) {
  const std::string root = "/computeMetadata/v1/instance/service-accounts/default/";
  if (request.headers.count("metadata-flavor") == 0) return {.status = 403};
  if (request.path == root + "email") {
    return {.headers = {"Metadata-Flavor: Google"}, .body = "vm@example.org"};
  }
  if (request.path == root + "token") {
    return {.headers = {"Metadata-Flavor: Google"},
            .body = R"({"access_token": "of-the-vm", "expires_in": 3599, "token_type": "Bearer"})"};
  }
  return {.status = 404};
}

TEST(Credentials, AVirtualMachineAsksItsMetadataServer) {
  TestHttpServer server(metadata_server);
  TemporaryFolder empty;
  const Variable host("GCE_METADATA_HOST", server.host()), config("CLOUDSDK_CONFIG", empty / ""),
      none("GOOGLE_APPLICATION_CREDENTIALS", ""), check("NO_GCE_CHECK", "false");
  const auto credentials = storage::find_credentials(HttpClient::create(), quick);
  EXPECT_EQ(credentials->token(), "of-the-vm");
  EXPECT_EQ(credentials->principal(), "service account vm@example.org of this virtual machine");
}

TEST(Credentials, WithoutAnyTheRequestIsAnonymous) {
  TemporaryFolder empty;
  const Variable config("CLOUDSDK_CONFIG", empty / ""), none("GOOGLE_APPLICATION_CREDENTIALS", ""),
      check("NO_GCE_CHECK", "true");
  const auto credentials = storage::find_credentials(HttpClient::create(), quick);
  EXPECT_EQ(credentials->token(), "");
  EXPECT_EQ(credentials->member(), "allUsers");
  const Variable missing("GOOGLE_APPLICATION_CREDENTIALS", empty / "key.json");
  EXPECT_CONTAINS(error_of([&] { storage::find_credentials(HttpClient::create(), quick); }),
                  "NotFound: GOOGLE_APPLICATION_CREDENTIALS: cannot open '");
}

// Tokens end before their time is over: the server refuses them, and a new one goes on with the
// read.
TEST(Credentials, ATokenThatExpiresWhileReadingIsRenewed) {
  std::atomic<int> serial{0};
  TestHttpServer tokens([&](const TestRequest&) -> TestResponse {
    return {.body = str(R"({"access_token": "token)", ++serial, R"(", "expires_in": 3599})")};
  });
  TestGcsServer server;
  server.put("x", std::string(5000, 'x'));
  std::mutex mutex;
  std::map<std::string, int> used;
  server.set_guard([&](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
    const std::lock_guard lock(mutex);
    const auto token = request.headers.find("authorization");
    if (token == request.headers.end() || ++used[token->second] > 2) {
      return TestGcsServer::error(401, "Invalid Credentials");
    }
    return std::nullopt;
  });
  const Json user = {{"type", "authorized_user"},
                     {"client_id", "i"},
                     {"client_secret", "s"},
                     {"refresh_token", "r"},
                     {"token_uri", tokens.url()}};
  storage::GcsOptions options;
  options.endpoint = server.url();
  options.credentials =
      storage::credentials_from_json(HttpClient::create(), user.dump(), "adc.json", quick);
  options.ranges.first_piece_bytes = options.ranges.most_piece_bytes = 1000;
  options.ranges.most_pieces_ahead = 1;
  options.retry = quick;
  const auto files = storage::gcs_file_system(options);
  std::string bytes(6000, '\0');
  bytes.resize(files->open("gs://bucket/x")->read(bytes.data(), bytes.size()));
  EXPECT_EQ(bytes, std::string(5000, 'x'));
  EXPECT_EQ(serial, 3);
}

// Which machine, who, which permission, and the command that gives it.
TEST(Credentials, APermissionThatIsMissingIsExplained) {
  TestHttpServer vm(metadata_server);
  TestGcsServer server;
  server.set_guard([](const TestRequest&, TestGcsServer&) {
    return std::optional(TestGcsServer::error(403, "vm@example.org does not have access"));
  });
  TemporaryFolder empty;
  const Variable host("GCE_METADATA_HOST", vm.host()), config("CLOUDSDK_CONFIG", empty / ""),
      none("GOOGLE_APPLICATION_CREDENTIALS", ""), check("NO_GCE_CHECK", "false");
  storage::GcsOptions options;
  options.endpoint = server.url();
  options.retry = quick;
  const auto files = storage::gcs_file_system(options);
  EXPECT_EQ(
      error_of([&] { files->open("gs://bucket/x", {}); }),
      "PermissionDenied: cannot read 'gs://bucket/x': 403 Forbidden: vm@example.org does not "
      "have access, got a request of " +
          io::this_machine() +
          " as service account vm@example.org of this virtual machine, expected somebody with "
          "the permission storage.objects.get.\n"
          "  hint: `gcloud storage buckets add-iam-policy-binding gs://bucket "
          "--member=serviceAccount:vm@example.org --role=roles/storage.objectViewer`.");
  EXPECT_CONTAINS(error_of([&] { files->glob("gs://bucket/*"); }), "storage.objects.list");
  EXPECT_CONTAINS(error_of([&] { files->create("gs://bucket/x"); }), "storage.objects.create");
}

}  // namespace
}  // namespace systolic
