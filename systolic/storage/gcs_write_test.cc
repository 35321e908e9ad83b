// Writing objects by resumable uploads, to a server that is well and to faulty ones.
#include <algorithm>

#include "systolic/base/test_errors.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/test_gcs_server.h"

namespace systolic {
namespace {

constexpr size_t piece_bytes = 1000;

std::shared_ptr<io::FileSystem> files_of(const TestGcsServer& server) {
  storage::GcsOptions options;
  options.endpoint = server.url();
  options.credentials = storage::anonymous_credentials();
  options.upload_piece_bytes = piece_bytes;
  options.retry = {.most_attempts = 4, .first_wait_seconds = 0.001, .longest_wait_seconds = 0.002};
  return storage::gcs_file_system(options);
}

std::string some_bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i / 7 + i);
  return bytes;
}

void write_object(io::FileSystem& files, const std::string& bytes, size_t piece = 333) {
  const auto file = files.create("gs://bucket/a/x y");
  for (size_t at = 0; at < bytes.size(); at += piece) {
    file->write(bytes.data() + at, std::min(piece, bytes.size() - at));
  }
  file->commit();
}

TEST(GcsWrite, ObjectsOfAnySize) {
  for (const size_t size : {0, 1, 999, 1000, 1001, 2000, 12'345}) {
    for (const size_t piece : {1, 333, 1000, 20'000}) {
      TestGcsServer server;
      write_object(*files_of(server), some_bytes(size), piece);
      EXPECT_TRUE(server.objects().at("a/x y").bytes == some_bytes(size)) << size;
    }
  }
}

TEST(GcsWrite, AnObjectAppearsWhenItIsWhole) {
  TestGcsServer server;
  const auto files = files_of(server);
  server.put("a/x y", "old");
  const std::string bytes = some_bytes(5000);
  {
    const auto file = files->create("gs://bucket/a/x y");
    file->write(bytes.data(), bytes.size());
    EXPECT_EQ(server.objects().at("a/x y").bytes, "old");
  }
  EXPECT_EQ(server.objects().at("a/x y").bytes, "old");
  // The upload is called off; a part of it may still be on its way, and be heard of later.
  const auto requests = server.requests();
  EXPECT_TRUE(std::any_of(requests.begin(), requests.end(),
                          [](const TestRequest& request) { return request.method == "DELETE"; }));
  write_object(*files, bytes);
  EXPECT_TRUE(server.objects().at("a/x y").bytes == bytes);
}

// A fault at each request of an upload, before or after the server took it in.
TEST(GcsWrite, FaultsThatPassAreNotSeen) {
  const std::string bytes = some_bytes(3500);
  const auto before = [](const TestRequest&, TestGcsServer&) {
    return std::optional(TestGcsServer::error(503, "later"));
  };
  const auto answer_lost = [](const TestRequest& request, TestGcsServer& server) {
    TestResponse response = server.answer_well(request);
    response.length = response.body.size() + 10;
    response.reset_after = 0;
    return std::optional(response);
  };
  // Only the first half of the piece arrives.
  const auto half = [](const TestRequest& request, TestGcsServer& server) {
    TestRequest cut = request;
    cut.body.resize(cut.body.size() / 2);
    if (request.method != "PUT") return std::optional(server.answer_well(request));
    server.answer_well(cut);
    return std::optional(TestGcsServer::error(500, "lost the rest"));
  };
  for (const TestGcsServer::Fault& fault :
       std::vector<TestGcsServer::Fault>{before, answer_lost, half}) {
    for (int at = 0; at < 7; ++at) {
      TestGcsServer server;
      for (int i = 0; i < at; ++i) {
        server.add_fault([](const TestRequest&, TestGcsServer&) { return std::nullopt; });
      }
      server.add_fault(fault);
      write_object(*files_of(server), bytes);
      EXPECT_TRUE(server.objects().at("a/x y").bytes == bytes) << at;
    }
  }
}

TEST(GcsWrite, FaultsThatStayAreNamedAndLeaveTheOldObject) {
  const struct {
    int status;
    const char* error;
  } cases[] = {{401, "PermissionDenied"},   {403, "PermissionDenied"}, {410, "Unavailable"},
               {412, "FailedPrecondition"}, {429, "Unavailable"},      {503, "Unavailable"}};
  for (const auto& test : cases) {
    for (const char* method : {"POST", "PUT"}) {
      TestGcsServer server;
      server.put("a/x y", "old");
      server.set_guard(
          [&](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
            if (request.method != method) return std::nullopt;
            return TestGcsServer::error(test.status, "the reason");
          });
      const std::string error =
          error_of([&] { write_object(*files_of(server), some_bytes(2500)); });
      EXPECT_CONTAINS(error, str(test.error, ": cannot write 'gs://bucket/a/x y': ", test.status));
      EXPECT_CONTAINS(error, ": the reason");
      const bool over = test.status == 410 && method == std::string("PUT");
      EXPECT_EQ(over, error.find("hint: write it again") != std::string::npos) << error;
      EXPECT_EQ(server.objects().at("a/x y").bytes, "old");
    }
  }
}

TEST(GcsWrite, OfTwoWritersOneHearsOfTheOther) {
  TestGcsServer server;
  const auto files = files_of(server);
  server.set_guard([](const TestRequest& request, TestGcsServer& self) {
    // The other one is done right before this one's session opens.
    if (request.method == "POST") self.put("a/x y", "of the other");
    return std::optional<TestResponse>();
  });
  EXPECT_CONTAINS(error_of([&] { write_object(*files, "mine"); }), "FailedPrecondition");
  EXPECT_EQ(server.objects().at("a/x y").bytes, "of the other");
}

TEST(GcsWrite, OtherBytesThanWereSentAreFound) {
  TestGcsServer server;
  server.set_guard([](const TestRequest& request, TestGcsServer& self) {
    TestRequest damaged = request;
    if (request.method == "PUT" && request.body.size() > 10) damaged.body[7] ^= 4;
    return std::optional(self.answer_well(damaged));
  });
  EXPECT_CONTAINS(error_of([&] { write_object(*files_of(server), some_bytes(1500)); }),
                  "DataLoss: 'gs://bucket/a/x y': the server stored other bytes than were sent");
}

TEST(GcsWrite, AServerThatForgetsIsFound) {
  for (const char* range : {"bytes=0-5", "bytes=0-99999", "bytes=5-9", "x", "bytes=0--3"}) {
    TestGcsServer server;
    server.set_guard([&](const TestRequest& request,
                         TestGcsServer&) -> std::optional<TestResponse> {
      if (request.method != "PUT" || request.headers.at("content-range").rfind("bytes 0", 0) == 0) {
        return std::nullopt;
      }
      return TestResponse{.status = 308, .headers = {str("Range: ", range)}};
    });
    EXPECT_CONTAINS(error_of([&] { write_object(*files_of(server), some_bytes(2500)); }),
                    "DataLoss: cannot write 'gs://bucket/a/x y': the server lost a part of it")
        << range;
  }
}

// Who goes on after an error hears it again, and nothing of a writer with a gap is committed.
TEST(GcsWrite, AWriteThatFailedFailsAgain) {
  TestGcsServer server;
  server.put("a/x y", "old");
  std::atomic<bool> refused{false};
  server.set_guard([&](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
    if (request.method != "PUT" || refused) return std::nullopt;
    refused = true;
    return TestGcsServer::error(403, "the reason");
  });
  const auto file = files_of(server)->create("gs://bucket/a/x y");
  const std::string bytes = some_bytes(700);
  std::string error = "no error";
  for (int i = 0; i < 10 && error == "no error"; ++i) {
    error = error_of([&] { file->write(bytes.data(), bytes.size()); });
  }
  EXPECT_CONTAINS(error, "PermissionDenied: cannot write 'gs://bucket/a/x y': 403");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(error_of([&] { file->write(bytes.data(), bytes.size()); }), error);
  }
  for (int i = 0; i < 2; ++i) EXPECT_EQ(error_of([&] { file->commit(); }), error);
  EXPECT_EQ(server.objects().at("a/x y").bytes, "old");
}

TEST(GcsWrite, NothingIsWrittenToAFolder) {
  TestGcsServer server;
  for (const char* path : {"gs://bucket", "gs://bucket/", "gs://bucket/a/"}) {
    EXPECT_CONTAINS(error_of([&] { files_of(server)->create(path); }),
                    "is not the name of an object");
  }
}

}  // namespace
}  // namespace systolic
