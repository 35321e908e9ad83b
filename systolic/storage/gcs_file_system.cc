#include "systolic/storage/gcs_file_system.h"

#include <fnmatch.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "systolic/base/error.h"
#include "systolic/storage/gcs_listing.h"
#include "systolic/storage/gcs_writer.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

using Json = nlohmann::json;

constexpr const char* viewer = "roles/storage.objectViewer";

GcsPurpose reading(const std::string& path, SourceLocation location) {
  return {"cannot read", path, "storage.objects.get", viewer, location};
}
GcsPurpose listing(const std::string& path, SourceLocation location) {
  return {"cannot list", path, "storage.objects.list", viewer, location};
}

// An object at the generation that was opened.
class GcsSource : public RangeSource {
 public:
  GcsSource(std::shared_ptr<GcsClient> client, const GcsPath& path, GcsObject object,
            GcsPurpose purpose)
      : client_(std::move(client)),
        object_(object),
        purpose_(std::move(purpose)),
        url_(str(client_->object_url(path), "?alt=media&ifGenerationMatch=", object.generation)) {}
  const std::string& path() const override { return purpose_.path; }
  uint64_t size() const override { return object_.size; }
  std::optional<uint32_t> crc() const override { return object_.crc; }

  // "gzip" is accepted so that an object that is stored compressed arrives as it is stored.
  HttpRequest request() const override {
    return client_->authorized({.url = url_, .headers = {"Accept-Encoding: gzip"}}, purpose_);
  }
  bool renew(const HttpRequest& request, const HttpResponse& response) const override {
    return client_->renew(request, response);
  }
  void check_same(const HttpResponse& response) const override {
    const std::string generation = response.header("x-goog-generation");
    if (generation.empty() || generation == str(object_.generation)) return;
    raise<FailedPrecondition>({.what = str("'", path(), "' was replaced while it was read"),
                               .got = str("generation ", generation),
                               .wanted = str(object_.generation),
                               .hint = "open it again",
                               .location = purpose_.location});
  }
  void fail(const HttpResponse& response) const override { client_->fail(response, purpose_); }

 private:
  std::shared_ptr<GcsClient> client_;
  GcsObject object_;
  GcsPurpose purpose_;
  std::string url_;
};

class GcsFileSystem : public io::FileSystem {
 public:
  explicit GcsFileSystem(GcsOptions options)
      : client_(std::make_shared<GcsClient>(std::move(options))) {}

  std::unique_ptr<io::ReadableFile> open(const std::string& path,
                                         SourceLocation location) override {
    const GcsPath parsed = object_path(path, location);
    GcsPurpose purpose = reading(path, location);
    const GcsObject object = describe_object(parsed, purpose);
    return std::make_unique<RangedFile>(
        client_->http(), std::make_shared<GcsSource>(client_, parsed, object, std::move(purpose)),
        client_->options().ranges);
  }

  std::unique_ptr<io::WritableFile> create(const std::string& path,
                                           SourceLocation location) override {
    return std::make_unique<GcsWriter>(client_, path, location);
  }

  std::optional<io::FileStatus> status(const std::string& path, SourceLocation location) override {
    const GcsPath parsed = parse_gcs_path(path, location);
    if (!parsed.object.empty() && parsed.object.back() != '/') {
      if (const auto object = client_->find(parsed, reading(path, location))) {
        return io::FileStatus{.bytes = object->size, .generation = object->generation};
      }
    }
    const GcsListing below =
        list_objects(parsed.bucket, folder_prefix(parsed.object), true, 1, listing(path, location));
    if (below.objects.empty() && below.folders.empty()) return std::nullopt;
    return io::FileStatus{.folder = true};
  }

  std::vector<std::string> glob(const std::string& pattern, SourceLocation location) override {
    const size_t slash = pattern.find('/', std::string_view("gs://").size());
    if (slash == std::string::npos) return {};
    const GcsPath bucket = parse_gcs_path(pattern.substr(0, slash), location);
    const std::string names = pattern.substr(slash + 1);
    const size_t wild = std::min(names.find_first_of("*?[\\"), names.size());
    // Anything below the last folder of the pattern does not matter.
    const bool flat = names.find('/', wild) == std::string::npos;
    const GcsListing found = list_objects(bucket.bucket, names.substr(0, wild), flat, most_listed,
                                          listing(pattern, location));
    std::vector<std::string> paths;
    for (const std::string& name : found.objects) {
      if (::fnmatch(names.c_str(), name.c_str(), FNM_PATHNAME) == 0) {
        paths.push_back(str("gs://", bucket.bucket, "/", name));
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  std::vector<std::string> list(const std::string& folder, size_t most,
                                SourceLocation location) override {
    const GcsPath parsed = parse_gcs_path(folder, location);
    const std::string prefix = folder_prefix(parsed.object);
    const GcsListing found = list_objects(parsed.bucket, prefix, true, std::min(most, most_listed),
                                          listing(folder, location));
    std::vector<std::string> names;
    for (const auto* part : {&found.objects, &found.folders}) {
      for (const std::string& name : *part) {
        std::string last = name.substr(std::min(prefix.size(), name.size()));
        if (!last.empty() && last.back() == '/') last.pop_back();
        if (!last.empty()) names.push_back(std::move(last));
      }
    }
    std::sort(names.begin(), names.end());
    names.resize(std::min(names.size(), most));
    return names;
  }

  void remove(const std::string& path, SourceLocation location) override {
    const GcsPath parsed = object_path(path, location);
    const GcsPurpose purpose{"cannot remove", path, "storage.objects.get and .delete",
                             "roles/storage.objectUser", location};
    remove(parsed, describe_object(parsed, purpose), purpose);
  }

  void rename(const std::string& from, const std::string& to, SourceLocation location) override {
    const GcsPath source = object_path(from, location), target = object_path(to, location);
    const GcsPurpose purpose{str("cannot make '", to, "' of"), from,
                             "storage.objects.get, .create and .delete", "roles/storage.objectUser",
                             location};
    const GcsObject object = describe_object(source, purpose);
    if (from == to) return;
    if (!copy(source, target, object, purpose)) {
      raise<Unavailable>({.what = str("cannot rename '", from, "' to '", to,
                                      "': the server does not say that it copied the object"),
                          .location = location});
    }
    remove(source, object, purpose);
  }

 private:
  static constexpr size_t most_listed = 1'000'000, most_in_page = 1000;

  static GcsPath object_path(const std::string& path, SourceLocation location) {
    GcsPath parsed = parse_gcs_path(path, location);
    if (!parsed.object.empty() && parsed.object.back() != '/') return parsed;
    raise<InvalidArgument>({.what = str("'", path, "' is a folder"),
                            .wanted = "an object, gs://bucket/object",
                            .hint = str("list its objects with io::glob(\"", path,
                                        path.back() == '/' ? "*\")" : "/*\")"),
                            .location = location});
  }

  // Anything but an object that is there is thrown.
  GcsObject describe_object(const GcsPath& path, const GcsPurpose& purpose) {
    return parse_gcs_object(client_->require(client_->description_request(path), purpose).body,
                            purpose.path);
  }

  // The generation that was looked at, and no other.
  void remove(const GcsPath& path, const GcsObject& object, const GcsPurpose& purpose) {
    const HttpResponse response = client_->send(
        {.method = "DELETE",
         .url = str(client_->object_url(path), "?ifGenerationMatch=", object.generation)},
        purpose);
    const bool done = response.complete() && response.status >= 200 && response.status < 300;
    // Sent again after an answer that was lost, it finds nothing left to remove.
    if (!done && !(response.complete() && response.status == 404)) client_->fail(response, purpose);
  }

  // A large object takes several requests, each handing on a token. All name the generations of
  // both objects, so that one that is sent again does nothing twice. False where the server says
  // neither that it is done nor how to continue.
  bool copy(const GcsPath& source, const GcsPath& target, const GcsObject& object,
            const GcsPurpose& purpose) {
    constexpr int most_requests = 100'000;
    const auto replaced = client_->find(target, purpose);
    const std::string url =
        str(client_->object_url(source), "/rewriteTo/b/", percent_encoded(target.bucket), "/o/",
            percent_encoded(target.object), "?ifSourceGenerationMatch=", object.generation,
            "&ifGenerationMatch=", replaced ? replaced->generation : 0);
    std::string token;
    for (int i = 0; i < most_requests; ++i) {
      const HttpResponse response = client_->send(
          {.method = "POST",
           .url = token.empty() ? url : str(url, "&rewriteToken=", percent_encoded(token)),
           .headers = {"Content-Type: application/json"}},
          purpose);
      if (response.complete() && response.status == 412) {
        // Done already, where only the answer was lost.
        const auto there = client_->find(target, purpose);
        const bool same = there && there->size == object.size && there->crc == object.crc;
        if (same && object.crc) return true;
      }
      if (!response.complete() || response.status != 200) client_->fail(response, purpose);
      const Json json = Json::parse(response.body, nullptr, false);
      if (is_done(json)) return true;
      const auto more = json.is_object() ? json.find("rewriteToken") : json.end();
      if (!json.is_object() || more == json.end() || !more->is_string()) return false;
      token = more->get<std::string>();
    }
    return false;
  }

  static bool is_done(const Json& json) {
    const auto done = json.is_object() ? json.find("done") : json.end();
    return done != json.end() && done->is_boolean() && done->get<bool>();
  }

  static std::string folder_prefix(const std::string& folder) {
    return folder.empty() || folder.back() == '/' ? folder : folder + "/";
  }

  // The server may not keep this busy forever: it refuses the token of a page that came already,
  // and more pages than most_listed names fill, some of which may be empty.
  static void check_page(const std::string& token, std::set<std::string>& pages,
                         const GcsPurpose& purpose) {
    constexpr size_t most_pages = 4 * most_listed / most_in_page, most_token_bytes = 1 << 14;
    std::string fault;
    if (token.size() > most_token_bytes) {
      fault = str("the server's token of a page has ", token.size(), " bytes");
    } else if (pages.size() >= most_pages) {
      fault = "the server's pages do not end";
    } else if (!pages.insert(token).second) {
      fault = "the server's pages repeat";
    }
    if (fault.empty()) return;
    raise<Unavailable>(
        {.what = str("cannot list '", purpose.path, "': ", fault), .location = purpose.location});
  }

  // Objects whose names start like this. `flat`: what has a '/' after the prefix is one folder.
  GcsListing list_objects(const std::string& bucket, const std::string& prefix, bool flat,
                          size_t most, const GcsPurpose& purpose) {
    GcsListing result;
    std::string page;
    std::set<std::string> pages;
    do {
      const HttpResponse response = client_->require(
          {.url = str(client_->bucket_url(bucket), "?fields=items(name),prefixes,nextPageToken",
                      "&maxResults=", std::min(most, most_in_page),
                      "&prefix=", percent_encoded(prefix), flat ? "&delimiter=%2F" : "",
                      page.empty() ? "" : "&pageToken=" + percent_encoded(page))},
          purpose);
      page = add_gcs_page(response.body, result, purpose);
      const size_t names = result.objects.size() + result.folders.size();
      if (names >= most && most < most_listed) break;
      if (names > most_listed) {
        raise<ResourceExhausted>({.what = str("'", purpose.path, "' matches more than ",
                                              most_listed, " objects and folders"),
                                  .hint = "give a longer prefix",
                                  .location = purpose.location});
      }
      if (!page.empty()) check_page(page, pages, purpose);
    } while (!page.empty());
    return result;
  }

  std::shared_ptr<GcsClient> client_;
};

}  // namespace

std::shared_ptr<io::FileSystem> gcs_file_system(GcsOptions options) {
  return std::make_shared<GcsFileSystem>(std::move(options));
}

}  // namespace storage
}  // namespace systolic::inline v0
