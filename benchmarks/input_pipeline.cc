// Records a second from MNIST-size TFRecords to parsed, normalized, shuffled batches, as
// benchmarks/peers/ tf_data_mnist.py measures tf.data.
//
//   input_pipeline [--dir build/bench/tfrecords] [--form batch|map] [--batch 200] [--seconds 5]
//   [--count 60000]
//
// --form batch parses whole batches, --form map record by record. The last line is JSON.
#include <cstdio>
#include <exception>
#include <string>

#include "benchmarks/mnist_records.h"
#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"

namespace systolic {
namespace {

struct Arguments {
  std::string dir = "build/bench/tfrecords", form = "batch";
  double batch = 200, seconds = 5, count = 60'000;
};

Arguments arguments(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    double* number = name == "--batch"     ? &result.batch
                     : name == "--seconds" ? &result.seconds
                     : name == "--count"   ? &result.count
                                           : nullptr;
    if (name == "--dir") {
      result.dir = value;
    } else if (name == "--form" && (value == "map" || value == "batch")) {
      result.form = value;
    } else if (number == nullptr || !parse_number(value, *number)) {
      raise<InvalidArgument>({.what = str("argument ", name, " ", value),
                              .wanted = "--dir, --form batch|map, --batch, --seconds or --count"});
    }
  }
  return result;
}

data::Dataset pipeline(const std::vector<std::string>& files, const Arguments& options) {
  const auto records =
      data::tfrecords(files, {.num_parallel_reads = data::autotune}).shuffle(10'000).repeat();
  const data::MapOptions parallel{.num_parallel_calls = data::autotune};
  const auto size = static_cast<int64_t>(options.batch);
  if (options.form == "map") {
    return records.map(parse_mnist, parallel)
        .batch(size, {.drop_remainder = true})
        .prefetch(data::autotune);
  }
  return records.batch(size, {.drop_remainder = true})
      .map(parse_mnist, parallel)
      .prefetch(data::autotune);
}

void run(const Arguments& options) {
  const auto files = mnist_record_files(options.dir, static_cast<int64_t>(options.count));
  data::Iterator batches = pipeline(files, options).iterator();
  for (int i = 0; i < 100; ++i) next(batches);
  const Stopwatch watch;
  double records = 0;
  while (watch.seconds() < options.seconds) {
    next(batches);
    records += options.batch;
  }
  const double rate = records / watch.seconds();
  std::printf(
      "{\"work\": \"input_%s\", \"who\": \"systolic\", \"records_per_second\": %.0f, \"batch\": "
      "%.0f}\n",
      options.form.c_str(), rate, options.batch);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  try {
    systolic::run(systolic::arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
