// Files from a network that fails, and archives that are hostile.
#include "systolic/datasets/fetch/download.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <future>
#include <optional>

#include "systolic/base/test_errors.h"
#include "systolic/datasets/fetch/extract_archive.h"
#include "systolic/datasets/fetch/folder_in_progress.h"
#include "systolic/datasets/load.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/encoding/sha256.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;

// One file at an address; a connection that breaks after `breaks_at` bytes.
class Server : public io::FileSystem {
 public:
  std::string content;
  uint64_t breaks_at = UINT64_MAX;
  uint64_t sent = 0;

  class Connection : public io::ReadableFile {
   public:
    Connection(Server& server, std::string path) : server_(server), path_(std::move(path)) {}
    const std::string& path() const override { return path_; }
    std::optional<uint64_t> size() const override { return server_.content.size(); }
    size_t read(void*, size_t) override { return 0; }
    size_t read_at(uint64_t offset, void* buffer, size_t size) override {
      if (offset >= server_.breaks_at) raise<Unavailable>({.what = "the connection broke"});
      const uint64_t end = std::min<uint64_t>(server_.breaks_at, server_.content.size());
      const size_t count = std::min<uint64_t>({size, 1000, end - std::min(offset, end)});
      std::memcpy(buffer, server_.content.data() + std::min(offset, end), count);
      server_.sent += count;
      return count;
    }

   private:
    Server& server_;
    const std::string path_;
  };
  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation) override {
    return std::make_unique<Connection>(*this, path);
  }
  std::unique_ptr<io::WritableFile> create(const std::string&, SourceLocation) override {
    return nullptr;
  }
  std::optional<io::FileStatus> status(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> list(const std::string&, size_t, SourceLocation) override { return {}; }
  void remove(const std::string&, SourceLocation) override {}
  void rename(const std::string&, const std::string&, SourceLocation) override {}
};

std::string digest_of(const std::string& bytes) {
  io::Sha256 hash;
  hash.add(bytes);
  return hash.digest();
}

TEST(Download, TakesUpWhatWasInterrupted) {
  const TemporaryFolder folder;
  const auto server = std::make_shared<Server>();
  io::register_file_system("broken", server);
  for (int i = 0; i < 5000; ++i) server->content += static_cast<char>(i * 31);
  const datasets::Download file{"broken://host/a/data.bin?x=1", digest_of(server->content)};
  server->breaks_at = 3000;
  EXPECT_CONTAINS(error_of([&] { datasets::download(file, folder / "new/folder"); }),
                  "the connection broke");
  EXPECT_FALSE(io::exists(folder / "new/folder/data.bin"));
  server->breaks_at = UINT64_MAX;
  server->sent = 0;
  const std::string path = datasets::download(file, folder / "new/folder");
  EXPECT_EQ(path, folder / "new/folder/data.bin");
  EXPECT_EQ(io::read_file(path), server->content);
  EXPECT_EQ(server->sent, 2000u);
  EXPECT_FALSE(io::exists(path + ".part"));
  server->sent = 0;
  datasets::download(file, folder / "new/folder");
  EXPECT_EQ(server->sent, 0u);
}

TEST(Download, AnotherFileIsRefusedAndRemoved) {
  const TemporaryFolder folder;
  const auto server = std::make_shared<Server>();
  io::register_file_system("broken", server);
  server->content = "something else";
  expect_parts(
      error_of([&] {
        datasets::download({"broken://host/x.bin", digest_of("what was wanted")}, folder / "");
      }),
      {"DataLoss", "broken://host/x.bin", digest_of("something else"),
       digest_of("what was wanted")});
  EXPECT_TRUE(fs::is_empty(folder / ""));
  // A part of another file, longer than this one, is not built on.
  put_file(folder / "x.bin.part", std::string(100, 'z'));
  datasets::download({"broken://host/x.bin", digest_of("something else")}, folder / "");
  EXPECT_EQ(io::read_file(folder / "x.bin"), "something else");
}

// Every address fails, as without a network.
class NoNetwork : public Server {
 public:
  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation) override {
    raise<Unavailable>({.what = str("no route to ", path)});
  }
};

TEST(Download, WhatWasInterruptedIsNoDataSet) {
  const TemporaryFolder folder;
  io::register_file_system("https", std::make_shared<NoNetwork>());
  const auto load = [&](bool download) {
    return error_of([&] {
      datasets::load("beans",
                     {.split = "train", .data_dir = folder / "data", .download = download});
    });
  };
  expect_parts(load(true), {"NotFound", "the download failed: no route to https://", "train.zip"});
  // Unpacking was cut off: of what there should be, the first pictures are there.
  fs::create_directories(folder / "data/beans/train/healthy");
  put_file(folder / "data/beans/train/healthy/1.jpg", "x");
  for (const bool download : {false, true})
    expect_parts(load(download), {"NotFound", download ? "no route" : "was not finished"});
  datasets::FolderInProgress(folder / "data/beans", {}).finish();
  EXPECT_EQ(load(false), "no error");
}

TEST(Download, OneFillsAFolderAtATime) {
  const TemporaryFolder folder;
  std::optional<datasets::FolderInProgress> first(std::in_place, folder / "a/b", SourceLocation{});
  EXPECT_TRUE(first->is_alone());
  EXPECT_TRUE(datasets::is_in_progress(folder / "a/b", {}));
  fs::create_directories(folder / "a/b/inside");
  EXPECT_TRUE(datasets::is_in_progress(folder / "a/b/inside", {}));
  std::future<bool> second = std::async(std::launch::async, [&] {
    return datasets::FolderInProgress(folder / "a/b", {}).is_alone();
  });
  first->finish();
  first.reset();
  // It came either before the end, and waited, or after it.
  const bool alone = second.get();
  EXPECT_EQ(datasets::is_in_progress(folder / "a/b", {}), alone);
  // One that ended before it was finished leaves the folder to the next.
  { const datasets::FolderInProgress ended(folder / "c", {}); }
  EXPECT_TRUE(datasets::is_in_progress(folder / "c", {}));
  EXPECT_TRUE(datasets::FolderInProgress(folder / "c", {}).is_alone());
}

// A header of POSIX.1-2017's ustar form, and the content.
std::string member(const std::string& name, const std::string& content, char kind = '0',
                   const std::string& link = "") {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 7, "0000644");
  char size[13];
  std::snprintf(size, sizeof size, "%011zo", content.size());
  block.replace(124, 11, size);
  block.replace(148, 8, "        ");
  block[156] = kind;
  block.replace(157, link.size(), link);
  block.replace(257, 5, "ustar");
  unsigned sum = 0;
  for (const unsigned char c : block) sum += c;
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  block.replace(148, 7, std::string(digits, 6) + '\0');
  return block + content + std::string((512 - content.size() % 512) % 512, '\0');
}

const std::string tar_end(1024, '\0');

TEST(ExtractArchive, WritesFoldersAndFiles) {
  const TemporaryFolder folder;
  const std::string large(200'000, 'q');
  const std::string deep = std::string(90, 'd') + "/" + std::string(90, 'e') + "/f.txt";
  const std::string pax = "path=" + deep + "\n";
  const std::string record = str(pax.size() + 4, " ", pax);
  put_file(folder / "a.tar", member("top/", "", '5') + member("top/a.txt", "hello") +
                                 member("top/b/large.bin", large) + member("x", record, 'x') +
                                 member("short", "deep") + tar_end);
  datasets::extract_archive(folder / "a.tar", folder / "out");
  EXPECT_EQ(io::read_file(folder / "out/top/a.txt"), "hello");
  EXPECT_EQ(io::read_file(folder / "out/top/b/large.bin"), large);
  EXPECT_EQ(io::read_file(folder / ("out/" + deep)), "deep");
  io::ZipWriter zip(folder / "b.zip");
  zip.add("train/a/1.txt", "one");
  zip.close();
  datasets::extract_archive(folder / "b.zip", folder / "zip");
  EXPECT_EQ(io::read_file(folder / "zip/train/a/1.txt"), "one");
}

TEST(ExtractArchive, HostileMembersAreRefusedBeforeAnythingIsWritten) {
  const std::string good = member("good.txt", "good");
  std::string broken = member("x", "y");
  broken[3] = 'z';
  const std::pair<std::string, const char*> table[] = {
      {member("../out.txt", "x"), "a member named '../out.txt'"},
      {member("a/../../out.txt", "x"), "a member named 'a/../../out.txt'"},
      {member("/etc/out.txt", "x"), "a member named '/etc/out.txt'"},
      {member("a\\..\\out.txt", "x"), "a member named"},
      {member("link", "", '2', "/etc/passwd"), "'link' is a link or a device"},
      {member("link", "", '1', "good.txt"), "'link' is a link or a device"},
      {member("device", "", '3'), "'device' is a link or a device"},
      {member("pipe", "", '6'), "'pipe' is a link or a device"},
      {member("x", std::string("22 path=../../out.txt\n"), 'x') + member("a", "x"), "a member"},
      {broken, "a header fails its checksum"},
      {member("x", std::string(5000, 'x')).substr(0, 3000), "it ends in"},
  };
  for (const auto& [bad, message] : table) {
    const TemporaryFolder folder;
    put_file(folder / "a.tar", good + bad + (message[0] == 'i' ? "" : tar_end));
    const std::string error =
        error_of([&] { datasets::extract_archive(folder / "a.tar", folder / "out"); });
    EXPECT_CONTAINS(error, "DataLoss");
    EXPECT_CONTAINS(error, message);
    EXPECT_FALSE(io::exists(folder / "out"));
    EXPECT_FALSE(io::exists(folder / "out.txt"));
  }
  const TemporaryFolder folder;
  io::ZipWriter zip(folder / "b.zip");
  zip.add("good.txt", "good");
  zip.add("../out.txt", "x");
  zip.close();
  EXPECT_CONTAINS(error_of([&] { datasets::extract_archive(folder / "b.zip", folder / "out"); }),
                  "a member named '../out.txt'");
  EXPECT_FALSE(io::exists(folder / "out"));
}

TEST(ExtractArchive, LinksInZipArchivesAreRefused) {
  const TemporaryFolder folder;
  io::ZipWriter zip(folder / "a.zip");
  zip.add("good.txt", "good");
  zip.add("link", "/etc/passwd");
  zip.close();
  const std::string plain = io::read_file(folder / "a.zip");
  struct Row {
    unsigned char host;
    unsigned mode;
    bool refused;
  };
  // Made by Unix (3), with the mode of the file; other systems keep other bits there.
  for (const Row& row : {Row{3, 0120777, true}, Row{3, 0020644, true}, Row{3, 0100644, false},
                         Row{3, 0, false}, Row{0, 0120777, false}}) {
    std::string bytes = plain;
    const size_t entry = bytes.rfind("PK\x01\x02");
    bytes[entry + 5] = static_cast<char>(row.host);
    bytes[entry + 40] = static_cast<char>(row.mode & 0xff);
    bytes[entry + 41] = static_cast<char>(row.mode >> 8);
    put_file(folder / "b.zip", bytes);
    const std::string out = folder / str("out", row.host, "_", row.mode);
    const std::string error = error_of([&] { datasets::extract_archive(folder / "b.zip", out); });
    EXPECT_CONTAINS(error, row.refused ? "member 'link' is a link or a device" : "no error");
    EXPECT_EQ(io::exists(out), !row.refused);
  }
}

TEST(ExtractArchive, MoreThanTheLimitsIsRefused) {
  const TemporaryFolder folder;
  put_file(folder / "a.tar", member("a", "12345") + member("b", "12345") + tar_end);
  for (const datasets::ExtractOptions& options :
       {datasets::ExtractOptions{.max_bytes = 9}, datasets::ExtractOptions{.max_files = 1}}) {
    EXPECT_CONTAINS(
        error_of([&] { datasets::extract_archive(folder / "a.tar", folder / "out", options); }),
        "ResourceExhausted");
    EXPECT_FALSE(io::exists(folder / "out"));
  }
}

}  // namespace
}  // namespace systolic
