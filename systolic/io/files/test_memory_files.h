// For tests: files in memory, as of a place that is not the local disk.
//
//   const auto files = std::make_shared<MemoryFiles>();
//   io::register_file_system("memory", files);
//   io::write_file("memory://bucket/x", "abc");
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "systolic/io/files/file_system.h"

namespace systolic {

// Counts the bytes that are read and may lie about sizes.
class MemoryFiles : public io::FileSystem {
 public:
  std::map<std::string, std::string> files;
  uint64_t bytes_read = 0;
  uint64_t claimed_more = 0;  // bytes than there are
  bool says_size = true;
  std::vector<std::string>
      changes;  // "+PATH" for a file that got its name, "-PATH" for one that went

  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation) override {
    return std::make_unique<Open>(*this, path, files.at(path));
  }
  std::unique_ptr<io::WritableFile> create(const std::string& path, SourceLocation) override {
    return std::make_unique<Written>(*this, path);
  }
  std::optional<io::FileStatus> status(const std::string& path, SourceLocation) override {
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return io::FileStatus{.bytes = file->second.size()};
  }
  std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> list(const std::string& folder, size_t, SourceLocation) override {
    std::set<std::string> names;
    for (const auto& [path, bytes] : files) {
      if (!path.starts_with(folder + "/")) continue;
      const std::string below = path.substr(folder.size() + 1);
      names.insert(below.substr(0, below.find('/')));
    }
    return {names.begin(), names.end()};
  }
  void remove(const std::string& path, SourceLocation) override {
    files.erase(path);
    changes.push_back("-" + path);
  }
  void rename(const std::string&, const std::string&, SourceLocation) override {}

 private:
  class Open : public io::ReadableFile {
   public:
    Open(MemoryFiles& all, std::string path, std::string bytes)
        : all_(all), path_(std::move(path)), bytes_(std::move(bytes)) {}
    const std::string& path() const override { return path_; }
    std::optional<uint64_t> size() const override {
      if (!all_.says_size) return std::nullopt;
      return bytes_.size() + all_.claimed_more;
    }
    size_t read(void* buffer, size_t size) override {
      const size_t count = read_at(at_, buffer, size);
      at_ += count;
      return count;
    }
    size_t read_at(uint64_t offset, void* buffer, size_t size) override {
      const size_t begin = std::min<size_t>(offset, bytes_.size());
      const size_t count = std::min(size, bytes_.size() - begin);
      std::memcpy(buffer, bytes_.data() + begin, count);
      all_.bytes_read += count;
      return count;
    }

   private:
    MemoryFiles& all_;
    std::string path_, bytes_;
    uint64_t at_ = 0;
  };
  class Written : public io::WritableFile {
   public:
    Written(MemoryFiles& all, std::string path) : all_(all), path_(std::move(path)) {}
    const std::string& path() const override { return path_; }
    void write(const void* data, size_t size) override {
      bytes_.append(static_cast<const char*>(data), size);
    }
    void commit() override {
      all_.files[path_] = bytes_;
      all_.changes.push_back("+" + path_);
    }

   private:
    MemoryFiles& all_;
    std::string path_, bytes_;
  };
};

}  // namespace systolic
