#include "systolic/train/weights/steps/step_checkpoints.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/remove_folder.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/train/weights/steps/step_folder.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *folder_prefix = "step_", *state_name = "state.safetensors",
                     *commit_name = "commit_success.txt";  // as Orbax calls it
constexpr const char *value_field = "monitored", *mode_field = "mode", *larger_mode = "max";

// Nothing for a folder of another name.
std::optional<int64_t> step_in_name(std::string_view name) {
  if (!name.starts_with(folder_prefix)) return std::nullopt;
  name.remove_prefix(std::string_view(folder_prefix).size());
  const bool digits =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  int64_t step = 0;
  if (!digits || !parse_number(name, step)) return std::nullopt;
  return step;
}

struct StepFolder {
  std::string path;
  int64_t step = 0;
};
std::vector<StepFolder> folders_in(const std::string& directory, SourceLocation location) {
  constexpr size_t most_names = 1'000'000;
  std::vector<StepFolder> folders;
  for (const std::string& name :
       io::file_system(directory, location).list(directory, most_names, location)) {
    if (const auto step = step_in_name(name)) folders.push_back({directory + "/" + name, *step});
  }
  std::sort(folders.begin(), folders.end(),
            [](const StepFolder& a, const StepFolder& b) { return a.step < b.step; });
  return folders;
}

// A damaged file has no value here: whoever loads it says so.
void read_value(StepCheckpoint& one, SourceLocation location) {
  try {
    const auto file = io::open_safetensors(one.file(), location);
    const auto value = file->metadata().find(value_field), mode = file->metadata().find(mode_field);
    double number = 0;
    if (value == file->metadata().end() || !parse_number(value->second, number)) return;
    one.value = number;
    one.larger_is_better = mode != file->metadata().end() && mode->second == larger_mode;
  } catch (const DataLoss&) {
  } catch (const NotFound&) {
  }
}

}  // namespace

std::string StepCheckpoint::file() const { return str(path, "/", state_name); }

std::vector<StepCheckpoint> step_checkpoints(const std::string& directory,
                                             SourceLocation location) {
  std::vector<StepCheckpoint> all;
  for (StepFolder& folder : folders_in(directory, location)) {
    if (!is_committed(folder.path, location)) continue;
    StepCheckpoint one{.path = std::move(folder.path), .step = folder.step};
    read_value(one, location);
    all.push_back(std::move(one));
  }
  return all;
}

StepCheckpoint best_checkpoint(const std::string& directory, SourceLocation location) {
  const std::vector<StepCheckpoint> all = step_checkpoints(directory, location);
  if (const StepCheckpoint* best = best_of(all)) return *best;
  raise<NotFound>({.what = str("no checkpoint in '", directory, "' has a value to compare"),
                   .got = all.empty() ? std::string("no checkpoint at all") : std::string(),
                   .wanted = "the directory of a TrainingCheckpoint with a .monitor",
                   .location = location});
}

std::string step_folder(const std::string& directory, int64_t step) {
  char name[32];
  std::snprintf(name, sizeof(name), "%06lld", static_cast<long long>(step));
  return str(directory, "/", folder_prefix, name);
}

bool is_committed(const std::string& folder, SourceLocation location) {
  return io::exists(str(folder, "/", commit_name), location);
}

void write_step_checkpoint(const StepCheckpoint& one, TrainingSnapshot snapshot,
                           SourceLocation location) {
  if (one.value) {
    snapshot.metadata[value_field] = str(*one.value);
    snapshot.metadata[mode_field] = one.larger_is_better ? larger_mode : "min";
  }
  write_training(snapshot, one.file(), location);
  io::write_file(str(one.path, "/", commit_name), str("step ", one.step, "\n"), location);
}

void write_step_part(const StepCheckpoint& one, const TrainingSnapshot& snapshot,
                     const TrainingPart& part, SourceLocation location) {
  write_training(snapshot, part_path(one.file(), part), location);
}

void check_step_parts(const StepCheckpoint& one, int count, SourceLocation location) {
  for (int i = 1; i < count; ++i) {
    const std::string part = part_path(one.file(), {.index = i, .count = count});
    if (io::exists(part, location)) continue;
    raise<FailedPrecondition>(
        {.what = str("process 0 does not see '", part, "', which process ", i, " has written"),
         .hint = "let the folder be one that all hosts see, as on NFS or gs://",
         .location = location});
  }
}

void remove_step_checkpoint(const StepCheckpoint& one, SourceLocation location) {
  io::remove_folder(one.path, commit_name, location);
}

void remove_unfinished_steps(const std::string& directory, SourceLocation location) {
  for (const StepFolder& folder : folders_in(directory, location)) {
    if (!is_committed(folder.path, location)) io::remove_folder(folder.path, commit_name, location);
  }
}

const StepCheckpoint* best_of(const std::vector<StepCheckpoint>& all) {
  const StepCheckpoint* best = nullptr;
  for (const StepCheckpoint& one : all) {
    if (!one.value || std::isnan(*one.value)) continue;
    const double sign = one.larger_is_better ? 1 : -1;
    if (best == nullptr || sign * *one.value >= sign * *best->value) best = &one;
  }
  return best;
}

}  // namespace systolic::inline v0
