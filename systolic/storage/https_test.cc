// Files of web servers, with and without ranges.
#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/storage/https_file_system.h"
#include "systolic/storage/test_http_server.h"

namespace systolic {
namespace {

const storage::RangeOptions small_pieces = {
    .first_piece_bytes = 100,
    .most_piece_bytes = 400,
    .most_pieces_ahead = 3,
    .retry = {.most_attempts = 3, .first_wait_seconds = 0.001, .longest_wait_seconds = 0.002}};

TestResponse ranged(const TestRequest& request, const std::string& bytes, const std::string& etag) {
  if (request.headers.count("if-match") != 0 && request.headers.at("if-match") != etag) {
    return {.status = 412};
  }
  const auto range = request.headers.find("range");
  if (range == request.headers.end()) return {.headers = {"ETag: " + etag}, .body = bytes};
  const std::string text = range->second.substr(6);
  const size_t first = std::stoull(text), last = std::stoull(text.substr(text.find('-') + 1));
  if (first >= bytes.size()) {
    return {.status = 416, .headers = {str("Content-Range: bytes */", bytes.size())}};
  }
  const std::string body = bytes.substr(first, last - first + 1);
  return {.status = 206,
          .headers = {"ETag: " + etag, str("Content-Range: bytes ", first, "-",
                                           first + body.size() - 1, "/", bytes.size())},
          .body = body};
}

std::string read_all(io::ReadableFile& file) {
  std::string bytes(10'000, '\0');
  bytes.resize(file.read(bytes.data(), bytes.size()));
  return bytes;
}

TEST(Https, ReadsByRangesOrWhole) {
  for (const size_t size : {0, 1, 99, 100, 101, 5000}) {
    const std::string bytes = [&] {
      std::string text;
      for (size_t i = 0; text.size() < size; ++i) text += str(i, " ");
      return text.substr(0, size);
    }();
    for (const bool ranges : {true, false}) {
      TestHttpServer server([&](const TestRequest& request) -> TestResponse {
        return ranges ? ranged(request, bytes, "\"v1\"") : TestResponse{.body = bytes};
      });
      const auto files = storage::https_file_system(small_pieces);
      const auto file = files->open(server.url() + "/file");
      EXPECT_EQ(file->size(), size);
      EXPECT_EQ(read_all(*file), bytes);
      EXPECT_EQ(files->status(server.url() + "/file")->bytes, size);
    }
  }
}

TEST(Https, AFileThatIsReplacedIsSaid) {
  std::string etag = "\"v1\"";
  TestHttpServer server(
      [&](const TestRequest& request) { return ranged(request, std::string(5000, 'x'), etag); });
  const auto file = storage::https_file_system(small_pieces)->open(server.url() + "/file");
  etag = "\"v2\"";
  EXPECT_CONTAINS(error_of([&] { read_all(*file); }), "FailedPrecondition");
}

TEST(Https, ErrorsAreNamed) {
  const std::pair<int, const char*> cases[] = {
      {403, "PermissionDenied"}, {404, "NotFound"}, {500, "Unavailable"}};
  for (const auto& [status, error] : cases) {
    TestHttpServer server(
        [code = status](const TestRequest&) { return TestResponse{.status = code}; });
    const auto files = storage::https_file_system(small_pieces);
    EXPECT_CONTAINS(error_of([&] { files->open(server.url() + "/x"); }),
                    str(error, ": cannot read '", server.url(), "/x': ", status));
  }
  const auto files = storage::https_file_system(small_pieces);
  EXPECT_CONTAINS(error_of([&] { files->create("https://h/x"); }), "cannot be written");
  EXPECT_CONTAINS(error_of([&] { files->glob("https://h/*"); }), "cannot be listed");
}

TEST(Https, AHostThatIsNotThereIsSaidAtOnce) {
  const auto files = storage::https_file_system({});  // with the waits of real use
  const std::string error = error_of([&] { files->open("https://nowhere.invalid/x"); });
  EXPECT_CONTAINS(error, "Unavailable: cannot read 'https://nowhere.invalid/x': no answer: ");
  EXPECT_CONTAINS(error, "hint: is this machine on the network, and the name right?");
}

// From an address that is not encrypted to another, where others may listen, or in circles.
TEST(Https, ARedirectionThatIsNotFollowedIsSaidAtOnce) {
  TestHttpServer server([&](const TestRequest& request) -> TestResponse {
    return {.status = 302, .headers = {"Location: http://" + request.headers.at("host") + "/x"}};
  });
  const auto files = storage::https_file_system({});  // with the waits of real use
  EXPECT_CONTAINS(error_of([&] { files->open(server.url() + "/x"); }), "Unavailable: cannot read");
  EXPECT_EQ(server.requests().size(), 1u);
}

// Everything that takes a path takes such a one.
TEST(Https, IsAPathLikeAnyOther) {
  TestHttpServer server(
      [](const TestRequest& request) { return ranged(request, "some text", "\"v1\""); });
  EXPECT_EQ(io::read_file(server.url() + "/a.txt"), "some text");
  EXPECT_EQ(io::glob(server.url() + "/a.txt").size(), 1u);
}

}  // namespace
}  // namespace systolic
