// Google Cloud Storage as far as this folder's tests need it, in memory, with faults on demand.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "systolic/io/encoding/base64.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/storage/test_http_server.h"

namespace systolic {

class TestGcsServer {
 public:
  struct Object {
    std::string bytes;
    int64_t generation = 1;
  };
  // Looks at a request before the server does; an answer of its own takes the place of the
  // server's.
  using Fault = std::function<std::optional<TestResponse>(const TestRequest&, TestGcsServer&)>;

  TestGcsServer() : server_([this](const TestRequest& request) { return answer(request); }) {}

  std::string url() const { return server_.url(); }
  std::vector<TestRequest> requests() const { return server_.requests(); }
  void put(const std::string& name, std::string bytes) {
    const std::lock_guard lock(mutex_);
    Object& object = objects_[name];
    object = {std::move(bytes), object.generation + 1};
  }
  std::map<std::string, Object> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  // Each of the next requests goes to one of these first.
  void add_fault(Fault fault) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(std::move(fault));
  }
  // All requests go to this first.
  void set_guard(Fault guard) { guard_ = std::move(guard); }

  static std::string crc_of(const std::string& bytes) {
    const uint32_t crc = io::crc32c_by_table(bytes.data(), bytes.size());
    std::string big_endian;
    for (const int shift : {24, 16, 8, 0}) big_endian += static_cast<char>(crc >> shift & 255u);
    return io::base64(big_endian);
  }
  static TestResponse error(int status, const std::string& message) {
    return {.status = status,
            .body = nlohmann::json{{"error", {{"code", status}, {"message", message}}}}.dump()};
  }

  // What the server itself says, without faults.
  TestResponse answer_well(const TestRequest& request) {
    const std::lock_guard lock(mutex_);
    const std::string path = request.path.substr(0, request.path.find('?'));
    if (path.rfind("/session/", 0) == 0) return upload(request);
    if (path == "/upload/storage/v1/b/bucket/o") return start_upload(request);
    if (path == "/storage/v1/b/bucket/o") return list(request);
    const std::string prefix = "/storage/v1/b/bucket/o/";
    if (path.rfind(prefix, 0) != 0) return error(404, "The specified bucket does not exist.");
    std::string name = decoded(path.substr(prefix.size()));
    const size_t rewrite = name.find("/rewriteTo/b/bucket/o/");
    if (rewrite != std::string::npos) return copy(request, name, rewrite);
    const auto found = objects_.find(name);
    if (found == objects_.end()) return error(404, "No such object: bucket/" + name);
    const std::string wanted = request.parameter("ifGenerationMatch");
    if (!wanted.empty() && wanted != str(found->second.generation)) {
      return error(412, "At least one of the pre-conditions you specified did not hold.");
    }
    if (request.method == "DELETE") {
      objects_.erase(found);
      return {.status = 204};
    }
    if (request.parameter("alt") != "media") return {.body = metadata(found->second)};
    return ranged(request, found->second);
  }

  static std::string decoded(const std::string& text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size()) {
        result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
        i += 2;
      } else {
        result += text[i];
      }
    }
    return result;
  }

 private:
  static std::string metadata(const Object& object) {
    return nlohmann::json{{"size", str(object.bytes.size())},
                          {"generation", str(object.generation)},
                          {"crc32c", crc_of(object.bytes)}}
        .dump();
  }

  TestResponse answer(const TestRequest& request) {
    Fault fault;
    {
      const std::lock_guard lock(mutex_);
      if (!faults_.empty()) {
        fault = std::move(faults_.front());
        faults_.pop_front();
      }
    }
    for (const Fault& special : {guard_, fault}) {
      if (!special) continue;
      if (auto response = special(request, *this)) return *response;
    }
    return answer_well(request);
  }

  static TestResponse ranged(const TestRequest& request, const Object& object) {
    TestResponse response{.headers = {str("x-goog-generation: ", object.generation)}};
    const auto range = request.headers.find("range");
    if (range == request.headers.end()) {
      response.body = object.bytes;
      return response;
    }
    const std::string text = range->second.substr(6);
    const size_t first = std::stoull(text), last = std::stoull(text.substr(text.find('-') + 1));
    if (first >= object.bytes.size()) return error(416, "Requested range not satisfiable");
    response.status = 206;
    response.body = object.bytes.substr(first, last - first + 1);
    response.headers.push_back(str("Content-Range: bytes ", first, "-",
                                   first + response.body.size() - 1, "/", object.bytes.size()));
    return response;
  }

  TestResponse list(const TestRequest& request) {
    const std::string prefix = decoded(request.parameter("prefix"));
    const std::string after = decoded(request.parameter("pageToken"));
    const bool flat = !request.parameter("delimiter").empty();
    constexpr size_t in_page = 2;
    nlohmann::json items = nlohmann::json::array(), prefixes = nlohmann::json::array();
    std::string last;
    for (const auto& [name, object] : objects_) {
      if (name.rfind(prefix, 0) != 0 || (!after.empty() && name <= after)) continue;
      const size_t slash = name.find('/', prefix.size());
      if (flat && slash != std::string::npos) {
        const std::string folder = name.substr(0, slash + 1);
        if (prefixes.empty() || prefixes.back() != folder) prefixes.push_back(folder);
        continue;
      }
      if (items.size() == in_page) {
        return {.body = nlohmann::json{
                    {"items", items},
                    {"prefixes", prefixes},
                    {"nextPageToken",
                     last}}.dump()};
      }
      items.push_back({{"name", name}});
      last = name;
    }
    return {.body = nlohmann::json{{"items", items}, {"prefixes", prefixes}}.dump()};
  }

  TestResponse copy(const TestRequest& request, const std::string& name, size_t rewrite) {
    const std::string to = name.substr(rewrite + std::string("/rewriteTo/b/bucket/o/").size());
    const auto found = objects_.find(name.substr(0, rewrite));
    if (found == objects_.end()) return error(404, "No such object");
    const auto there = objects_.find(to);
    const int64_t replaced = there == objects_.end() ? 0 : there->second.generation;
    if (request.parameter("ifGenerationMatch") != str(replaced) ||
        request.parameter("ifSourceGenerationMatch") != str(found->second.generation)) {
      return error(412, "At least one of the pre-conditions you specified did not hold.");
    }
    Object& target = objects_[to];
    target = {found->second.bytes, target.generation + 1};
    return {.body = R"({"done": true})"};
  }

  TestResponse start_upload(const TestRequest& request) {
    const std::string name = decoded(request.parameter("name"));
    const auto found = objects_.find(name);
    const int64_t there = found == objects_.end() ? 0 : found->second.generation;
    if (request.parameter("ifGenerationMatch") != str(there)) return error(412, "Precondition");
    const std::string id = str(++sessions_made_);
    sessions_[id] = {.name = name, .replaces = there};
    return {.headers = {str("Location: ", url(), "/session/", id)}};
  }

  TestResponse upload(const TestRequest& request) {
    const auto found = sessions_.find(request.path.substr(std::string("/session/").size()));
    if (found == sessions_.end()) return error(410, "The upload session is over.");
    if (request.method == "DELETE") {
      sessions_.erase(found);
      return {.status = 204};
    }
    Session& session = found->second;
    // Who asks after the end, because the answer was lost, hears it again.
    if (!session.finished.empty()) return {.body = session.finished};
    const std::string range = request.headers.at("content-range").substr(6);
    const std::string total = range.substr(range.find('/') + 1);
    if (range[0] != '*') {
      if (std::stoull(range) != session.bytes.size()) return error(400, "not where it goes on");
      session.bytes += request.body;
    }
    if (total != "*" && session.bytes.size() == std::stoull(total)) {
      Object& object = objects_[session.name];
      object = {session.bytes, session.replaces + 1};
      session.finished = metadata(object);
      return {.body = session.finished};
    }
    TestResponse response{.status = 308};
    if (!session.bytes.empty()) {
      response.headers = {str("Range: bytes=0-", session.bytes.size() - 1)};
    }
    return response;
  }

  struct Session {
    std::string name;
    int64_t replaces = 0;
    std::string bytes = {}, finished = {};
  };
  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  std::map<std::string, Session> sessions_;
  int sessions_made_ = 0;
  std::deque<Fault> faults_;
  Fault guard_;
  TestHttpServer server_;  // the last: it stops first
};

}  // namespace systolic
