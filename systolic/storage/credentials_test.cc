// Tokens from each place where they come from, their end, and what errors say of who asked.
#include "systolic/storage/credentials.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstdlib>
#include <memory>

#include "systolic/base/test_errors.h"
#include "systolic/io/encoding/base64.h"
#include "systolic/io/files/test_files.h"
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
       "InvalidArgument: credentials 'key.json': the private key is not an RSA key in PEM form"}};
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

std::shared_ptr<storage::Credentials> credentials_of_user(const TestHttpServer& server) {
  const Json user = {{"type", "authorized_user"},
                     {"client_id", "i"},
                     {"client_secret", "s"},
                     {"refresh_token", "r"},
                     {"token_uri", server.url()}};
  return storage::credentials_from_json(HttpClient::create(), user.dump(), "adc.json", quick);
}

TEST(Credentials, ARefusalNamesWhoAsked) {
  TestHttpServer server([&](const TestRequest&) -> TestResponse {
    return {.status = 400,
            .body = R"({"error": "invalid_grant", "error_description": "Bad Request"})"};
  });
  const auto credentials = credentials_of_user(server);
  const std::string error = error_of([&] { credentials->token(); });
  EXPECT_CONTAINS(error,
                  "PermissionDenied: no access token for the user of 'adc.json' from http://");
  EXPECT_CONTAINS(error, "400 Bad Request: Bad Request");
  EXPECT_CONTAINS(error, "gcloud auth application-default login");
}

// What a server of tokens may answer, and what is said of it.
TEST(Credentials, AnswersThatAreNoTokensAreRefused) {
  const std::pair<TestResponse, std::vector<std::string>> cases[] = {
      {{.body = "no JSON"}, {"PermissionDenied: no access token for", "gcloud auth"}},
      {{.body = R"({"access_token": 5})"}, {"PermissionDenied: no access token for"}},
      {{.body = R"({"access_token": "a\r\nHost: b"})"}, {"PermissionDenied: no access token for"}},
      {{.status = 503}, {"Unavailable: no access token for", "503", "try again later"}}};
  for (const auto& [answer, parts] : cases) {
    TestHttpServer server([&answer = answer](const TestRequest&) { return answer; });
    const auto credentials = credentials_of_user(server);
    expect_parts(error_of([&] { credentials->token(); }), parts);
  }
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

// A metadata server that is still starting says so; one that is none is not waited for.
TEST(Credentials, AMetadataServerIsAskedAgainWhereItAnswersThatItIsBusy) {
  std::atomic<int> asked{0};
  TestHttpServer server([&](const TestRequest& request) {
    return ++asked < 3 ? TestResponse{.status = 503} : metadata_server(request);
  });
  const Variable host("GCE_METADATA_HOST", server.host());
  ASSERT_NE(storage::credentials_from_metadata(HttpClient::create(), quick), nullptr);
  EXPECT_EQ(asked, 3);
  const Variable nobody("GCE_METADATA_HOST", "127.0.0.1:1");
  EXPECT_EQ(storage::credentials_from_metadata(HttpClient::create()), nullptr);
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

// A server of objects that takes each token for two requests only, as if its hour were over then;
// and one of tokens, which gives another each time until `most` were given.
class ShortTokens {
 public:
  explicit ShortTokens(int most) : most_(most) {
    server.set_guard(
        [this](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
          if (request.path.rfind("/session/", 0) == 0) return std::nullopt;  // needs none
          const std::lock_guard lock(mutex_);
          const auto token = request.headers.find("authorization");
          if (token == request.headers.end() || ++used_[token->second] > 2)
            return TestGcsServer::error(401, "Invalid Credentials");
          return std::nullopt;
        });
  }
  std::shared_ptr<io::FileSystem> files() const {
    const Json user = {{"type", "authorized_user"},   {"client_id", "i"},
                       {"client_secret", "s"},        {"refresh_token", "r"},
                       {"account", "me@example.org"}, {"token_uri", tokens_.url()}};
    storage::GcsOptions options;
    options.endpoint = server.url();
    options.credentials =
        storage::credentials_from_json(HttpClient::create(), user.dump(), "adc.json", quick);
    options.ranges.first_piece_bytes = options.ranges.most_piece_bytes = 1000;
    options.ranges.most_pieces_ahead = 1;
    options.retry = quick;
    return storage::gcs_file_system(options);
  }
  int given() const { return given_; }
  TestGcsServer server;

 private:
  const int most_;
  std::atomic<int> given_{0};
  std::mutex mutex_;
  std::map<std::string, int> used_;
  TestHttpServer tokens_{[this](const TestRequest&) -> TestResponse {
    if (given_ >= most_) {
      return {.status = 400, .body = R"({"error": "invalid_grant",
                          "error_description": "Token has been expired or revoked."})"};
    }
    return {.body = str(R"({"access_token": "token)", ++given_, R"(", "expires_in": 3599})")};
  }};
};

std::string read_all(io::FileSystem& files, const std::string& path) {
  std::string bytes(6000, '\0');
  bytes.resize(files.open(path, {})->read(bytes.data(), bytes.size()));
  return bytes;
}

// Tokens end before their time is over: the server refuses them, and a new one goes on with the
// read.
TEST(Credentials, ATokenThatExpiresWhileReadingIsRenewed) {
  ShortTokens tokens(100);
  tokens.server.put("x", std::string(5000, 'x'));
  EXPECT_EQ(read_all(*tokens.files(), "gs://bucket/x"), std::string(5000, 'x'));
  EXPECT_EQ(tokens.given(), 3);  // six requests
}

TEST(Credentials, ATokenThatExpiresWhileWritingListingOrRenamingIsRenewed) {
  ShortTokens tokens(100);
  const auto files = tokens.files();
  for (int i = 0; i < 5; ++i) {
    const auto file = files->create(str("gs://bucket/", i), {});
    file->write("bytes", 5);
    file->commit();
  }
  files->rename("gs://bucket/4", "gs://bucket/5", {});
  files->remove("gs://bucket/0", {});
  EXPECT_EQ(files->glob("gs://bucket/*", {}),
            (std::vector<std::string>{"gs://bucket/1", "gs://bucket/2", "gs://bucket/3",
                                      "gs://bucket/5"}));
  EXPECT_EQ(read_all(*files, "gs://bucket/5"), "bytes");
  EXPECT_GT(tokens.given(), 5);
}

// The login itself was revoked in mid-run: what was wanted, which permission it needs, who asked
// from which machine, and the command that helps.
TEST(Credentials, ALoginThatEndsWhileReadingIsExplained) {
  ShortTokens tokens(2);
  tokens.server.put("x", std::string(5000, 'x'));
  const std::string error = error_of([&] { read_all(*tokens.files(), "gs://bucket/x"); });
  expect_parts(error, {"PermissionDenied: cannot read 'gs://bucket/x', which needs "
                       "storage.objects.get: no access token for user me@example.org from http://",
                       "400 Bad Request: Token has been expired or revoked.",
                       "got a request of " + io::this_machine(),
                       "`gcloud auth application-default login` on this machine"});
}

// Five minutes before a token's end the next one is due. Where the server of tokens is away then,
// the last one serves to its end.
TEST(Credentials, ATokenIsRenewedBeforeItsEndAndUsedToItsEndWhereNoOtherIsToBeHad) {
  std::atomic<int> asked{0};
  std::atomic<bool> away{false};
  TestHttpServer server([&](const TestRequest&) -> TestResponse {
    if (away) return {.status = 503};
    return {.body = str(R"({"access_token": "token)", ++asked, R"(", "expires_in": 3600})")};
  });
  const auto credentials = credentials_of_user(server);
  const storage::Credentials::Time start{};
  const auto token_after = [&](int seconds) {
    return credentials->token(start + std::chrono::seconds(seconds));
  };
  EXPECT_EQ(token_after(0), "token1");
  EXPECT_EQ(token_after(3299), "token1");
  EXPECT_EQ(token_after(3301), "token2");  // valid until 6901
  away = true;
  EXPECT_EQ(token_after(6700), "token2");
  EXPECT_EQ(token_after(6899), "token2");
  EXPECT_CONTAINS(error_of([&] { token_after(6902); }), "Unavailable: no access token for");
  away = false;
  EXPECT_EQ(token_after(6902), "token3");
  EXPECT_TRUE(credentials->refused("token1"));
  EXPECT_EQ(token_after(6903), "token3");
  EXPECT_TRUE(credentials->refused("token3"));  // of the current one no more is said
  away = true;
  EXPECT_CONTAINS(error_of([&] { token_after(6904); }), "Unavailable: no access token for");
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
  // No role helps a machine whose tokens may not be used for storage, or are refused.
  for (const auto& [status, message] : {std::pair(403, "Provided scope(s) are not authorized"),
                                        std::pair(401, "Invalid Credentials")}) {
    server.set_guard([&, code = status, text = message](const TestRequest&, TestGcsServer&) {
      return std::optional(TestGcsServer::error(code, text));
    });
    EXPECT_CONTAINS(error_of([&] { files->open("gs://bucket/x", {}); }),
                    "hint: `gcloud compute instances set-service-account NAME "
                    "--service-account=vm@example.org --scopes=storage-rw`");
  }
}

// A variable that was left behind is the first thing to look at.
TEST(Credentials, AnEmulatorIsNamedInWhatItRefuses) {
  TestGcsServer server;
  const Variable host("STORAGE_EMULATOR_HOST", server.url());
  storage::GcsOptions options;
  options.retry = quick;
  const auto files = storage::gcs_file_system(options);
  for (const char* path : {"gs://bucket/none", "gs://none/x"}) {
    EXPECT_CONTAINS(error_of([&, name = path] { files->open(name, {}); }),
                    str("of ", server.url(), " as STORAGE_EMULATOR_HOST says"));
  }
  EXPECT_CONTAINS(error_of([&] { files->open("gs://none/x", {}); }),
                  "hint: `gcloud storage ls` lists the buckets of your project");
  server.set_guard([](const TestRequest&, TestGcsServer&) {
    return std::optional(TestResponse{.status = 503});
  });
  EXPECT_CONTAINS(error_of([&] { files->open("gs://bucket/x", {}); }), "STORAGE_EMULATOR_HOST");
}

}  // namespace
}  // namespace systolic
