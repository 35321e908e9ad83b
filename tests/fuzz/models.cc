// The reader of models' configurations.
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "systolic/transformers/pretrained_config.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

// A folder of this process's own, gone with it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fuzz_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a model");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

  // Puts a new file in the old one's place: ext4 flushes one that is emptied and written again.
  void write(const std::string& name, std::string_view bytes) const {
    std::filesystem::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

void check(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

void config(std::string_view bytes) {
  static const Folder folder;
  folder.write("config.json", bytes);
  attempt([&] {
    const PretrainedConfig read = PretrainedConfig::from_pretrained(folder.path());
    check(static_cast<int64_t>(read.labels().names.size()) == read.labels().count(),
          "labels without names");
    const std::string written = read.entries(Task::features).text();
    folder.write("config.json", written);
    const PretrainedConfig again = PretrainedConfig::from_pretrained(folder.path());
    check(again.entries(Task::features).text() == written, "what is written is read otherwise");
  });
}

}  // namespace fuzz
