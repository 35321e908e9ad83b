// The readers of the input pipeline: pictures, paths, saved states, tables and archives.
#include <algorithm>

#include "systolic/data/dataset.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/datasets/arrow/flat_columns.h"
#include "systolic/datasets/fetch/tar_reader.h"
#include "systolic/datasets/hub/arrow_table.h"
#include "systolic/datasets/source.h"
#include "systolic/datasets/tables/read_json.h"
#include "systolic/datasets/tables/read_table.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/codecs/decode_jpeg.h"
#include "systolic/io/arrow/parse_batch.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file_system.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {

using namespace systolic;

void remote_path(const std::string& path);  // storage.cc

namespace {

constexpr int64_t most_pixels = 1 << 20;

// A pipeline with a stage of each kind that keeps something.
data::Dataset pipeline() {
  return data::range(40)
      .shuffle(8, {.seed = 1})
      .concatenate(data::range(10).shuffle(10, {.seed = 2}))
      .map([](int64_t n) { return n + 1; }, {.num_parallel_calls = 2})
      .interleave([](const Example& e) { return data::from_tensors(e).repeat(2); },
                  {.cycle_length = 2})
      .shuffle(5, {.seed = 3})
      .cache()
      .repeat(2)
      .batch(3)
      .prefetch(2);
}

datasets::Source three_splits() {
  datasets::Source source{.info = {.name = "x", .version = "1.0.0"}};
  for (const char* name : {"train", "test", "validation"}) source.info.splits.push_back({name, 10});
  source.stored = [](const datasets::SplitInfo& split) { return data::range(split.num_examples); };
  return source;
}

}  // namespace

void image(std::string_view bytes) {
  const auto small = [](const Literal& picture) {
    if (picture.size() > 4 * most_pixels) throw std::logic_error("a picture above its limit");
  };
  for (const int channels : {0, 1, 4}) {
    attempt([&] {
      small(image::decode_image(bytes, {.channels = channels, .max_pixels = most_pixels}));
    });
  }
  attempt([&] {
    small(image::decode_jpeg(bytes, {.dct = image::Dct::fast,
                                     .min_height = 8,
                                     .min_width = 8,
                                     .try_recover_truncated = true,
                                     .max_pixels = most_pixels}));
  });
}

void path(std::string_view bytes) {
  const std::string text(bytes);
  const std::string_view scheme = io::scheme_of(text);
  if (scheme.size() > text.size()) throw std::logic_error("a scheme longer than its path");
  remote_path(text);
  remote_path("gs://" + text);
  static const datasets::Source source = three_splits();
  attempt([&] {
    const data::Dataset part = datasets::stored_elements(source, text, {}, {});
    if (part.cardinality() < 0) throw std::logic_error("a part of unknown size");
  });
  datasets::is_table_file(text);
}

void state(std::string_view bytes) {
  attempt([&] { data::decode_element(bytes); });
  std::string sealed(bytes.substr(0, bytes.size() - std::min<size_t>(bytes.size(), 4)));
  const uint32_t crc = io::crc32c(sealed);
  sealed.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  attempt([&] { data::decode_element(sealed); });
  attempt([&] {
    data::Iterator iterator = pipeline().iterator(sealed);
    for (int i = 0; i < 100 && iterator.next(); ++i) continue;
  });
}

void parquet(std::string_view bytes) {
  const MemoryFile file(bytes);
  attempt([&] { datasets::read_arrow_files({file.path()}, {}, {}); });
  attempt([&] {
    const auto rows = datasets::stream_arrow_files({file.path()}, {}, {}).take(1000);
    for (const Example& row : rows) row.names();
  });
  const auto damaged = [](std::string_view what) { raise<DataLoss>({.what = std::string(what)}); };
  std::string aligned_bytes(bytes.size() + 64, '\0');
  const size_t shift = 64 - reinterpret_cast<uintptr_t>(aligned_bytes.data()) % 64;
  std::copy(bytes.begin(), bytes.end(), aligned_bytes.begin() + static_cast<std::ptrdiff_t>(shift));
  const std::string_view answer = std::string_view(aligned_bytes).substr(shift, bytes.size());
  attempt([&] { io::parse_schema(answer, damaged); });
  // A text, numbers, and lists of pairs of them.
  using io::ArrowKind;
  const io::ArrowField text{.name = "t", .kind = ArrowKind::string};
  const io::ArrowField number{.name = "n", .kind = ArrowKind::number, .dtype = DType::f32};
  const io::ArrowField pair{.name = "p", .kind = ArrowKind::structure, .inner = {text, number}};
  const io::ArrowField list{.name = "l", .kind = ArrowKind::list, .inner = {pair}};
  const io::ArrowField word{.name = "w", .kind = ArrowKind::dictionary, .inner = {text}};
  const std::vector<io::ArrowField> fields = {number, list, word};
  attempt([&] { datasets::flat_columns(fields, io::parse_batch(answer, fields, damaged)); });
}

void table(std::string_view bytes) {
  for (const char* field : {"", "data"})
    attempt([&] { datasets::read_json("table.json", bytes, field); });
  const MemoryFile file(bytes);
  for (const bool tabs : {false, true})
    attempt([&] { datasets::read_fields(file.path(), bytes, tabs, {{"a", "b"}}); });
  attempt([&] {
    datasets::TarReader archive(file.path(), {});
    while (archive.next()) archive.copy([](std::string_view) {});
  });
}

}  // namespace fuzz
