#include "tests/resume/training_pipelines.h"

#include <algorithm>
#include <optional>

#include "systolic/io/files/file.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

using data::Dataset;

constexpr int64_t files = 4, rows_in_file = 60;

// Each row has values of its own, so that another order gives other weights.
Example row(int64_t number) {
  Literal x(DType::f32, {row_width}), y(DType::f32, {2});
  const auto values = x.mutable_data<float>();
  for (int64_t i = 0; i < row_width; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>((number * 37 + i * 11) % 101) / 101;
  for (float& value : y.mutable_data<float>()) value = static_cast<float>(number % 13) / 13;
  return {{"x", x}, {"y", y}};
}

Example parse(const std::string& line) {
  something_happens();
  return row(std::stoll(line));
}

Example half(const Example& element) {
  something_happens();
  Literal x(DType::f32, element["x"].shape());
  const auto from = element["x"].data<float>();
  std::transform(from.begin(), from.end(), x.mutable_data<float>().begin(),
                 [](float value) { return value / 2; });
  return {{"x", x}, {"y", element["y"]}};
}

Dataset lines(const std::string& folder) {
  return data::list_files(folder + "/rows-*.txt", {.seed = 2})
      .interleave([](const std::string& path) { return data::text_lines(path); },
                  {.cycle_length = 3, .block_length = 2, .num_parallel_calls = 2});
}
Dataset parsed(const std::string& folder) {
  return lines(folder).map(parse, {.num_parallel_calls = 3});
}
Dataset generated() {
  return data::from_generator(
      [] {
        return [number = int64_t{0}]() mutable -> std::optional<Example> {
          something_happens();
          if (number == files * rows_in_file) return std::nullopt;
          return row(number++);
        };
      },
      {.output_signature = {{"x", {row_width}, DType::f32}, {"y", {2}, DType::f32}}});
}

Dataset parallel(const std::string& folder) {
  return parsed(folder).shuffle(50, {.seed = 5}).batch(20).prefetch(data::autotune);
}
Dataset unseeded(const std::string& folder) {
  return lines(folder)
      .shuffle(50)
      .map(parse, {.num_parallel_calls = data::autotune})
      .batch(20)
      .prefetch(2);
}
Dataset cached(const std::string& folder) {
  return parsed(folder).shuffle(40).cache().shuffle(50, {.seed = 5}).batch(20).prefetch(2);
}
Dataset cached_on_disk(const std::string& folder) {
  return parsed(folder)
      .cache(folder + "/cache")
      .shuffle(50, {.seed = 5})
      .batch(20)
      .map(half)
      .prefetch(2);
}
Dataset shuffled_and_cached_on_disk(const std::string& folder) {
  return parsed(folder).shuffle(50, {.seed = 5}).cache(folder + "/cache").batch(20).prefetch(2);
}
Dataset snapshot(const std::string& folder) {
  return parsed(folder)
      .snapshot(folder + "/snapshot")
      .shuffle(50, {.seed = 5})
      .repeat()
      .batch(20)
      .prefetch(2);
}
Dataset generator(const std::string&) {
  return generated()
      .shuffle(50, {.seed = 5})
      .map(half, {.num_parallel_calls = 2})
      .batch(20)
      .prefetch(3);
}
Dataset repeated_generator(const std::string&) {
  return generated().repeat().shuffle(50).batch(20).prefetch(data::autotune);
}
Dataset records(const std::string& folder) {
  return data::tfrecords(io::glob(folder + "/rows-*.tfrec"), {.num_parallel_reads = 3})
      .repeat()
      .shuffle(100, {.seed = 9})
      .map(parse, {.num_parallel_calls = 2})
      .batch(20)
      .prefetch(data::autotune);
}
Dataset mixed(const std::string& folder) {
  return data::sample_from_datasets({parsed(folder).repeat(), generated().shuffle(9).repeat()},
                                    {.weights = {0.3, 0.7}})
      .window(5, {.shift = 3})
      .flat_map([](const Dataset& window) { return window.shuffle(3); })
      .batch(20)
      .prefetch(2);
}

}  // namespace

void write_rows(const std::string& folder) {
  if (io::exists(folder + "/written")) return;
  for (int64_t file = 0; file < files; ++file) {
    const std::string name = str(folder, "/rows-", file);
    std::string text;
    io::TFRecordWriter writer(name + ".tfrec");
    for (int64_t i = 0; i < rows_in_file; ++i) {
      const std::string number = std::to_string(file * rows_in_file + i);
      text += number + "\n";
      writer.write(number);
    }
    writer.close();
    io::write_file(name + ".txt", text);
  }
  io::write_file(folder + "/written", "");
}

const std::map<std::string, TrainingPipeline>& training_pipelines() {
  static const std::map<std::string, TrainingPipeline> pipelines{
      {"parallel", {parallel}},
      {"unseeded", {unseeded}},
      {"cached", {cached}},
      {"cached_on_disk", {cached_on_disk}},
      {"shuffled_and_cached_on_disk", {shuffled_and_cached_on_disk}},
      {"snapshot", {snapshot, 11}},
      {"generator", {generator}},
      {"repeated_generator", {repeated_generator, 11}},
      {"records", {records, 11}},
      {"mixed", {mixed, 11}},
  };
  return pipelines;
}

}  // namespace systolic
