// Reading, listing and removing objects, from a server that is well and from faulty ones.
#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/test_gcs_server.h"

namespace systolic {
namespace {

using storage::GcsOptions;

GcsOptions options_for(const TestGcsServer& server) {
  GcsOptions options;
  options.endpoint = server.url();
  options.credentials = storage::anonymous_credentials();
  options.ranges.first_piece_bytes = 1000;
  options.ranges.most_piece_bytes = 10'000;
  options.retry = {.most_attempts = 4, .first_wait_seconds = 0.001, .longest_wait_seconds = 0.002};
  return options;
}

std::string some_bytes(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

std::string read_all(io::ReadableFile& file, size_t piece = 777) {
  std::string bytes, buffer(piece, '\0');
  while (const size_t count = file.read(buffer.data(), piece)) bytes.append(buffer, 0, count);
  return bytes;
}

std::string read_object(io::FileSystem& files, const std::string& path = "gs://bucket/x") {
  return read_all(*files.open(path));
}

TEST(GcsRead, WholeObjectsOfAnySize) {
  TestGcsServer server;
  const auto files = storage::gcs_file_system(options_for(server));
  for (const size_t size : {0, 1, 999, 1000, 1001, 3000, 65'536, 300'001}) {
    server.put("a folder/ünï%?#.bin", some_bytes(size));
    const auto file = files->open("gs://bucket/a folder/ünï%?#.bin");
    EXPECT_EQ(file->size(), size);
    EXPECT_TRUE(read_all(*file) == some_bytes(size)) << size;
  }
}

TEST(GcsRead, AnyRange) {
  TestGcsServer server;
  const std::string bytes = some_bytes(50'000);
  server.put("x", bytes);
  const auto files = storage::gcs_file_system(options_for(server));
  const auto file = files->open("gs://bucket/x");
  for (const size_t offset : {0, 1, 49'999, 50'000, 60'000}) {
    for (const size_t size : {0, 1, 10'001, 100'000}) {
      std::string buffer(size, '\0');
      buffer.resize(file->read_at(offset, buffer.data(), size));
      EXPECT_TRUE(buffer == (offset < bytes.size() ? bytes.substr(offset, size) : ""))
          << offset << " " << size;
    }
  }
}

TEST(GcsRead, OpeningReadsNothing) {
  TestGcsServer server;
  server.put("x", some_bytes(5000));
  storage::gcs_file_system(options_for(server))->open("gs://bucket/x");
  EXPECT_EQ(server.requests().size(), 1u);
}

// What is read ahead stays where there is room for it; without any, what the reader waits for still
// comes, one piece at a time and no larger than it asked for.
TEST(GcsRead, ReadsAheadAsFarAsThereIsRoom) {
  const std::string bytes = some_bytes(300'000);
  constexpr size_t buffer = storage::HttpClient::buffer_bytes, at_once = 777, endless = SIZE_MAX;
  for (const size_t allowed : {size_t{0}, buffer + 2000, 2 * buffer + 10'000, endless}) {
    TestGcsServer server;
    server.put("x", bytes);
    GcsOptions options = options_for(server);
    options.ranges.least_piece_bytes = 500;
    const auto file = storage::gcs_file_system(options)->open("gs://bucket/x");
    size_t told = 0;
    file->set_read_ahead_room([&](size_t all) {
      if (all <= allowed) told = all;
      return all <= allowed;
    });
    std::string read, piece(at_once, '\0');
    size_t most = 0;
    while (const size_t count = file->read(piece.data(), piece.size())) {
      read.append(piece, 0, count);
      most = std::max(most, file->held_bytes());
    }
    EXPECT_TRUE(read == bytes) << allowed;
    EXPECT_EQ(told, 0u) << allowed;  // it said what it gave back
    EXPECT_LE(most, allowed) << allowed;
    EXPECT_EQ(allowed == endless, most > 3 * buffer + 10'000) << most;
    for (const TestRequest& request : server.requests()) {
      const auto range = request.headers.find("range");
      if (range == request.headers.end() || allowed > 0) continue;
      const std::string text = range->second.substr(6);
      EXPECT_LT(std::stoull(text.substr(text.find('-') + 1)) - std::stoull(text), at_once) << text;
    }
  }
}

TEST(GcsRead, AFileThatIsLookedIntoCostsOnePiece) {
  TestGcsServer server;
  server.put("x", some_bytes(300'000));
  const auto file = storage::gcs_file_system(options_for(server))->open("gs://bucket/x");
  char header[10];
  ASSERT_EQ(file->read(header, sizeof(header)), sizeof(header));
  EXPECT_EQ(file->held_bytes(), 1000u);
  EXPECT_EQ(server.requests().size(), 2u);
}

// Faults that pass: each is met once, by the description of the object and by each of its ranges.
TEST(GcsRead, FaultsThatPassAreNotSeen) {
  const std::string bytes = some_bytes(30'000);
  const auto cut = [](size_t after) {
    return [after](const TestRequest& request, TestGcsServer& server) {
      TestResponse response = server.answer_well(request);
      response.reset_after = std::min(after, response.body.size());
      return std::optional(response);
    };
  };
  const auto status = [](int code) {
    return [code](const TestRequest&, TestGcsServer&) {
      return std::optional(TestGcsServer::error(code, "later"));
    };
  };
  const auto short_read = [](const TestRequest& request, TestGcsServer& server) {
    TestResponse response = server.answer_well(request);
    if (response.status != 206) return std::optional(response);
    const std::string range = request.headers.at("range").substr(6);
    const size_t first = std::stoull(range);
    response.body.resize((response.body.size() + 1) / 2);
    response.headers = {
        str("Content-Range: bytes ", first, "-", first + response.body.size() - 1, "/30000")};
    return std::optional(response);
  };
  const std::vector<TestGcsServer::Fault> faults = {
      cut(0),      cut(1),      cut(700),    cut(5000),   status(408), status(429),
      status(500), status(502), status(503), status(504), short_read};
  for (size_t fault = 0; fault < faults.size(); ++fault) {
    for (int at = 0; at < 6; ++at) {
      TestGcsServer server;
      server.put("x", bytes);
      for (int i = 0; i < at; ++i) {
        server.add_fault([](const TestRequest&, TestGcsServer&) { return std::nullopt; });
      }
      server.add_fault(faults[fault]);
      const auto files = storage::gcs_file_system(options_for(server));
      EXPECT_TRUE(read_object(*files) == bytes) << "fault " << fault << " at request " << at;
    }
  }
}

TEST(GcsRead, FaultsThatStayAreNamed) {
  const struct {
    int status;
    const char* error;
  } cases[] = {
      {400, "InvalidArgument: cannot read 'gs://bucket/x': 400 Bad Request: the reason"},
      {401, "PermissionDenied: cannot read 'gs://bucket/x': 401 Unauthorized: the reason"},
      {403, "PermissionDenied: cannot read 'gs://bucket/x': 403 Forbidden: the reason"},
      {404, "NotFound: cannot read 'gs://bucket/x': 404 Not Found: the reason"},
      {429, "Unavailable: cannot read 'gs://bucket/x': 429 Too Many Requests: the reason"},
      {500, "Unavailable: cannot read 'gs://bucket/x': 500 Internal Server Error: the reason"},
      {503, "Unavailable: cannot read 'gs://bucket/x': 503 Service Unavailable: the reason"},
  };
  for (const auto& test : cases) {
    for (const bool while_reading : {false, true}) {
      TestGcsServer server;
      server.put("x", some_bytes(5000));
      server.set_guard(
          [&](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
            const bool media = request.parameter("alt") == "media";
            if (media != while_reading) return std::nullopt;
            return TestGcsServer::error(test.status, "the reason");
          });
      const auto files = storage::gcs_file_system(options_for(server));
      const std::string error = error_of([&] { read_object(*files); });
      EXPECT_CONTAINS(error, test.error);
      EXPECT_CONTAINS(error, "got a request of this machine (");
      EXPECT_CONTAINS(error, "as anonymous (no credentials were found)");
      const size_t attempts = test.status == 429 || test.status >= 500 ? 4 : 1;
      if (!while_reading) {
        EXPECT_EQ(server.requests().size(), attempts) << test.status;
      }
    }
  }
}

TEST(GcsRead, AServerThatIsNotThereIsUnavailable) {
  GcsOptions options;
  {
    TestGcsServer server;
    options = options_for(server);
  }
  const auto files = storage::gcs_file_system(options);
  EXPECT_CONTAINS(error_of([&] { read_object(*files); }),
                  "Unavailable: cannot read 'gs://bucket/x': no answer: ");
}

TEST(GcsRead, AnObjectThatIsReplacedWhileReadIsSaid) {
  for (const bool by_header : {false, true}) {
    TestGcsServer server;
    server.put("x", some_bytes(50'000));
    if (by_header) {  // a server that does not know preconditions
      server.set_guard([](const TestRequest& request, TestGcsServer& self) {
        TestRequest loose = request;
        const size_t condition = loose.path.find("&ifGenerationMatch");
        if (condition != std::string::npos) loose.path.resize(condition);
        return std::optional(self.answer_well(loose));
      });
    }
    const auto files = storage::gcs_file_system(options_for(server));
    const auto file = files->open("gs://bucket/x");
    char buffer[100];
    ASSERT_EQ(file->read(buffer, 100), 100u);
    server.put("x", some_bytes(50'000));
    EXPECT_CONTAINS(error_of([&] { read_all(*file); }), "FailedPrecondition: ");
  }
}

// Who reads on after an error hears it again: neither a wait without end nor a file with a gap.
TEST(GcsRead, AReadThatFailedFailsAgain) {
  TestGcsServer server;
  server.put("x", some_bytes(30'000));
  server.set_guard([&](const TestRequest& request, TestGcsServer& self) {
    TestResponse response = self.answer_well(request);
    if (request.parameter("alt") == "media" &&
        request.headers.at("range").rfind("bytes=1000-", 0) == 0) {
      response.headers = {"Content-Range: bytes 0-9/30000"};
    }
    return std::optional(response);
  });
  const auto file = storage::gcs_file_system(options_for(server))->open("gs://bucket/x");
  char buffer[1000];
  ASSERT_EQ(file->read(buffer, sizeof(buffer)), 1000u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_CONTAINS(error_of([&] { file->read(buffer, sizeof(buffer)); }),
                    "DataLoss: 'gs://bucket/x': the server sends other bytes than were asked for");
  }
}

TEST(GcsRead, AnAnswerIsGivenOnce) {
  TestGcsServer server;
  const auto client = storage::HttpClient::create();
  storage::HttpClient::Pending none;
  EXPECT_CONTAINS(error_of([&] { none.wait(); }), "FailedPrecondition");
  auto pending = storage::HttpClient::start(client, {.url = server.url() + "/none"});
  EXPECT_EQ(pending.wait().status, 404);
  EXPECT_CONTAINS(error_of([&] { pending.wait(); }), "FailedPrecondition");
}

// The right number of bytes, but others.
TEST(GcsRead, AWrongChecksumIsFound) {
  for (const size_t damaged : {size_t{0}, size_t{12'345}, size_t{29'999}}) {
    TestGcsServer server;
    server.put("x", some_bytes(30'000));
    server.set_guard([&](const TestRequest& request, TestGcsServer& self) {
      TestResponse response = self.answer_well(request);
      if (response.status == 206) {
        const size_t first = std::stoull(request.headers.at("range").substr(6));
        if (damaged >= first && damaged < first + response.body.size()) {
          response.body[damaged - first] ^= 1;
        }
      }
      return std::optional(response);
    });
    const auto files = storage::gcs_file_system(options_for(server));
    EXPECT_CONTAINS(error_of([&] { read_object(*files); }),
                    "DataLoss: 'gs://bucket/x': other bytes came than are stored: their CRC-32C");
  }
}

// A server that does not do as it is told is found out, whatever it sends.
TEST(GcsRead, AnswersToOtherQuestionsAreRefused) {
  const std::string bytes = some_bytes(5000);
  const struct {
    const char* name;
    TestResponse response;
  } cases[] = {
      {"another range", {206, {"Content-Range: bytes 1-1000/5000"}, bytes.substr(1, 1000), {}, {}}},
      {"another size", {206, {"Content-Range: bytes 0-999/6000"}, bytes.substr(0, 1000), {}, {}}},
      {"no range", {206, {}, bytes.substr(0, 1000), {}, {}}},
      {"a range of nothing", {206, {"Content-Range: bytes */*"}, "", {}, {}}},
      {"too much", {206, {"Content-Range: bytes 0-999/5000"}, bytes, {}, {}}},
      {"the whole", {200, {}, bytes, {}, {}}},
      {"more than the range says",
       {206, {"Content-Range: bytes 0-9/5000"}, bytes.substr(0, 1000), {}, {}}},
      {"a length that does not come",
       {206, {"Content-Range: bytes 0-999/5000"}, bytes.substr(0, 1000), {}, 99'999'999}},
      {"nothing", {206, {"Content-Range: bytes 0-999/5000"}, "", {}, {}}},
  };
  for (const auto& test : cases) {
    TestGcsServer server;
    server.put("x", bytes);
    server.set_guard(
        [&](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
          if (request.parameter("alt") != "media") return std::nullopt;
          return test.response;
        });
    const auto files = storage::gcs_file_system(options_for(server));
    EXPECT_CONTAINS(error_of([&] { read_object(*files); }), "DataLoss: 'gs://bucket/x'")
        << test.name;
  }
}

TEST(GcsRead, DescriptionsThatMakeNoSenseAreRefused) {
  for (const char* body : {"", "[]", "{}", "{\"size\": \"-1\", \"generation\": \"1\"}",
                           "{\"size\": \"99999999999999999999\", \"generation\": \"1\"}",
                           "{\"size\": 1.5, \"generation\": 1}", "{\"size\": \"1\"}"}) {
    TestGcsServer server;
    server.set_guard([&](const TestRequest&, TestGcsServer&) {
      return std::optional(TestResponse{.body = body});
    });
    const auto files = storage::gcs_file_system(options_for(server));
    EXPECT_CONTAINS(error_of([&] { read_object(*files); }), "DataLoss: 'gs://bucket/x'") << body;
  }
}

// An object that claims to be larger than any memory costs no more than what comes of it.
TEST(GcsRead, AForgedSizeAllocatesNothing) {
  TestGcsServer server;
  server.set_guard([&](const TestRequest& request, TestGcsServer&) {
    if (request.parameter("alt") == "media") return std::optional(TestResponse{.status = 404});
    return std::optional(
        TestResponse{.body = R"({"size": "9000000000000000000", "generation": 1})"});
  });
  const auto files = storage::gcs_file_system(options_for(server));
  io::register_file_system("forged", files);
  const auto file = files->open("gs://bucket/x");
  EXPECT_EQ(file->size(), 9'000'000'000'000'000'000u);
  EXPECT_CONTAINS(error_of([&] { read_all(*file); }), "NotFound");
}

TEST(GcsRead, PathsThatNameNoObject) {
  TestGcsServer server;
  const auto files = storage::gcs_file_system(options_for(server));
  for (const char* path : {"gs://", "gs:///x", "gs://UPPER/x", "gs://a b/x", "gs://bucket?x/y"}) {
    EXPECT_CONTAINS(error_of([&] { files->open(path); }), "is not the path of an object");
  }
  for (const char* path : {"gs://bucket", "gs://bucket/", "gs://bucket/folder/"}) {
    EXPECT_CONTAINS(error_of([&] { files->open(path); }), "is a folder");
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(GcsFiles, AreKnownListedRemovedAndRenamed) {
  TestGcsServer server;
  for (const char* name : {"a/1.tfrec", "a/2.tfrec", "a/3.txt", "a/b/4.tfrec", "c"}) {
    server.put(name, "abc");
  }
  const auto files = storage::gcs_file_system(options_for(server));
  using Paths = std::vector<std::string>;
  EXPECT_EQ(files->glob("gs://bucket/a/*.tfrec"),
            (Paths{"gs://bucket/a/1.tfrec", "gs://bucket/a/2.tfrec"}));
  EXPECT_EQ(files->glob("gs://bucket/*/*"),
            (Paths{"gs://bucket/a/1.tfrec", "gs://bucket/a/2.tfrec", "gs://bucket/a/3.txt"}));
  EXPECT_EQ(files->glob("gs://bucket/a/[13].*"),
            (Paths{"gs://bucket/a/1.tfrec", "gs://bucket/a/3.txt"}));
  EXPECT_EQ(files->glob("gs://bucket/*"), Paths{"gs://bucket/c"});
  EXPECT_EQ(files->glob("gs://bucket/d*"), Paths{});
  EXPECT_EQ(files->list("gs://bucket/a", 10), (Paths{"1.tfrec", "2.tfrec", "3.txt", "b"}));
  EXPECT_EQ(files->list("gs://bucket", 1).size(), 1u);
  EXPECT_EQ(files->status("gs://bucket/c")->bytes, 3u);
  EXPECT_TRUE(files->status("gs://bucket/a")->folder);
  EXPECT_FALSE(files->status("gs://bucket/none"));

  files->rename("gs://bucket/c", "gs://bucket/d/e");
  EXPECT_FALSE(files->status("gs://bucket/c"));
  EXPECT_EQ(read_object(*files, "gs://bucket/d/e"), "abc");
  files->remove("gs://bucket/d/e");
  EXPECT_FALSE(files->status("gs://bucket/d/e"));
  files->rename("gs://bucket/a/1.tfrec", "gs://bucket/a/1.tfrec");
  EXPECT_EQ(read_object(*files, "gs://bucket/a/1.tfrec"), "abc");
  EXPECT_CONTAINS(error_of([&] { files->remove("gs://bucket/d/e"); }),
                  "NotFound: cannot remove 'gs://bucket/d/e'");
  EXPECT_CONTAINS(error_of([&] { files->glob("gs://other/*"); }), "NotFound: cannot list");
}

// A copy and a removal are sent again after a fault: they name the generations that they are of, so
// whatever was done already, or by another program, they do no harm.
TEST(GcsFiles, RenamesOnceWhateverAnswerIsLost) {
  for (const char* method : {"GET", "POST", "DELETE"}) {
    for (const bool was_done : {false, true}) {
      TestGcsServer server;
      server.put("from", "abc");
      server.put("to", "old");
      std::atomic<int> lost{0};
      server.set_guard(
          [&](const TestRequest& request, TestGcsServer& self) -> std::optional<TestResponse> {
            if (request.method != method || lost.fetch_add(1) != 0) return std::nullopt;
            TestResponse answer = was_done ? self.answer_well(request) : TestResponse{};
            answer.length = answer.body.size() + 10;
            answer.reset_after = 0;
            return answer;
          });
      const auto files = storage::gcs_file_system(options_for(server));
      files->rename("gs://bucket/from", "gs://bucket/to");
      EXPECT_EQ(server.objects().count("from"), 0u) << method << was_done;
      EXPECT_EQ(server.objects().at("to").bytes, "abc") << method << was_done;
      EXPECT_EQ(server.objects().at("to").generation, 3) << method << was_done;
      for (const TestRequest& request : server.requests()) {
        if (request.method == "GET") continue;
        EXPECT_CONTAINS(request.path, "ifGenerationMatch=2");
        EXPECT_EQ(request.method == "POST", request.parameter("ifSourceGenerationMatch") == "2");
      }
    }
  }
}

TEST(GcsFiles, AnObjectThatAnotherProgramWroteMeanwhileIsNeitherReplacedNorRemoved) {
  for (const char* method : {"POST", "DELETE"}) {
    TestGcsServer server;
    server.put("x", "abc");
    server.put("y", "old");
    const std::string theirs = method == std::string("POST") ? "y" : "x";
    server.set_guard([&](const TestRequest& request, TestGcsServer& self) {
      if (request.method == method) self.put(theirs, "theirs");
      return std::optional<TestResponse>();
    });
    const auto files = storage::gcs_file_system(options_for(server));
    EXPECT_CONTAINS(error_of([&] { files->rename("gs://bucket/x", "gs://bucket/y"); }),
                    "FailedPrecondition: cannot make 'gs://bucket/y' of 'gs://bucket/x'");
    EXPECT_EQ(server.objects().at(theirs).bytes, "theirs");
  }
}

// Each answers a request for the listing, of which `i` came before.
TEST(GcsFiles, AListingThatDoesNotEndIsRefused) {
  using nlohmann::json;
  json many = json::array();
  for (int i = 0; i < 150'000; ++i) many.push_back("a/");
  const struct {
    std::function<json(int)> page;
    const char* error;
  } cases[] = {
      {[](int) {
         return json{{"nextPageToken", "again"}};
       },
       "the server's pages repeat"},
      {[](int i) {
         return json{{"nextPageToken", str("page ", i % 7)}};
       },
       "the server's pages repeat"},
      {[](int i) {
         return json{{"nextPageToken", str("page ", i)}};
       },
       "the server's pages do not end"},
      {[&](int i) {
         return json{{"prefixes", many}, {"nextPageToken", str("page ", i)}};
       },
       "matches more than 1000000 objects and folders"},
  };
  for (const auto& test : cases) {
    TestGcsServer server;
    std::atomic<int> pages{0};
    server.set_guard([&](const TestRequest&, TestGcsServer&) {
      return std::optional(TestResponse{.body = test.page(pages++).dump()});
    });
    const auto files = storage::gcs_file_system(options_for(server));
    EXPECT_CONTAINS(error_of([&] { files->glob("gs://bucket/*"); }), test.error);
  }
}

TEST(GcsFiles, ACopyThatIsDoneSaysTrue) {
  for (const char* body : {R"({"done": "yes"})", R"({"done": 1})", R"({"done": null})", "[]", ""}) {
    TestGcsServer server;
    server.put("x", "abc");
    server.set_guard(
        [&](const TestRequest& request, TestGcsServer&) -> std::optional<TestResponse> {
          if (request.method != "POST") return std::nullopt;
          return TestResponse{.body = body};
        });
    const auto files = storage::gcs_file_system(options_for(server));
    EXPECT_CONTAINS(error_of([&] { files->rename("gs://bucket/x", "gs://bucket/y"); }),
                    "Unavailable: cannot rename 'gs://bucket/x' to 'gs://bucket/y'")
        << body;
    EXPECT_EQ(server.objects().at("x").bytes, "abc");
  }
}

}  // namespace
}  // namespace systolic
