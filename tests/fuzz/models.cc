// The reader of models' configurations.
#include <stdexcept>
#include <string>
#include <string_view>

#include "systolic/transformers/pretrained_config.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

void check(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

void config(std::string_view bytes) {
  static const ScratchFolder folder;
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
