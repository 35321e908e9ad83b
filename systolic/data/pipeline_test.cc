// From TFRecord files to batches: what users write, and what damaged files do to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

// Three files of pictures of 4 pixels, 40 in all; picture i has the label i.
class Pipeline : public ::testing::Test {
 protected:
  void SetUp() override {
    int64_t label = 0;
    for (int file = 0; file < 3; ++file) {
      io::TFRecordWriter writer(folder_ / str("train-", file, ".tfrec"));
      for (int i = 0; i < 10 + 3 * file + (file == 2 ? 1 : 0); ++i, ++label) {
        const std::string pixels(4, static_cast<char>(5 * label));
        writer.write(
            Example{{"image", Literal::scalar(pixels)}, {"label", Literal::scalar(label)}});
      }
      writer.close();
    }
    count_ = label;
  }
  std::vector<std::string> files() const { return io::glob(folder_ / "train-*.tfrec"); }

  TemporaryFolder folder_;
  CaughtLog log_;
  int64_t count_ = 0;
};

Example parse_pictures(const Example& records) {
  static const auto parse = data::parse_example({{"image", FixedLenFeature{.dtype = DType::string}},
                                                 {"label", FixedLenFeature{.dtype = DType::i64}}});
  const Example parsed = parse(records);
  return {{"image", data::cast(data::decode_raw(parsed["image"], DType::u8), DType::f32) / 255},
          {"label", parsed["label"]}};
}

std::vector<int64_t> labels_of(const data::Dataset& batches) {
  std::vector<int64_t> labels;
  for (const Example& batch : batches) {
    const Literal& label = batch["label"];
    for (int64_t i = 0; i < label.size(); ++i) {
      labels.push_back(label.integer_at(i));
      const int64_t pixel = 4 * i + 3;
      EXPECT_EQ(batch["image"].number_at(pixel), static_cast<float>(5 * labels.back()) / 255.0f);
    }
  }
  return labels;
}

std::vector<int64_t> sorted(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<int64_t> all(int64_t count) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(i);
  return result;
}

TEST_F(Pipeline, BothOrdersOfMapAndBatchGiveTheSame) {
  const data::Dataset records = data::tfrecords(files());
  const auto after = labels_of(records.batch(7).map(parse_pictures));
  EXPECT_EQ(after, all(count_));
  EXPECT_EQ(labels_of(records.map(parse_pictures).batch(7)), after);
  EXPECT_EQ(labels_of(records.map(parse_pictures, {.num_parallel_calls = 3}).batch(7)), after);
  EXPECT_EQ(
      labels_of(
          records.batch(7).map(parse_pictures, {.num_parallel_calls = data::autotune}).prefetch(2)),
      after);
  EXPECT_EQ(to_string(records.batch(7).map(parse_pictures).element_spec()),
            "{image: f32(-1, 4), label: i64(-1,)}");
}

TEST_F(Pipeline, ParallelReadsTakeTurnsInAFixedOrder) {
  const auto once = labels_of(data::tfrecords(files(), {.num_parallel_reads = data::autotune})
                                  .batch(5)
                                  .map(parse_pictures));
  EXPECT_EQ(sorted(once), all(count_));
  EXPECT_EQ(once[10], 10);  // the first file has fewer records than one turn
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(labels_of(data::tfrecords(files(), {.num_parallel_reads = data::autotune})
                            .batch(5)
                            .map(parse_pictures)),
              once);
  }
}

TEST_F(Pipeline, ReadsAsTheDesignWritesIt) {
  auto train =
      data::tfrecords(io::glob(folder_ / "train-*.tfrec"), {.num_parallel_reads = data::autotune})
          .shuffle(10'000)
          .repeat()
          .batch(25, {.drop_remainder = true})
          .map(parse_pictures)
          .prefetch(data::autotune);
  data::Iterator iterator = train.iterator();
  std::vector<int64_t> seen;
  for (int step = 0; step < 8; ++step) {
    const Example batch = next(iterator);
    EXPECT_EQ(batch["image"].shape(), (Shape{25, 4}));
    for (int64_t i = 0; i < 25; ++i) seen.push_back(batch["label"].integer_at(i));
  }
  // Each epoch holds every picture once, in an order of its own.
  const auto epoch = [&](int64_t k) {
    return std::vector<int64_t>(seen.begin() + k * count_, seen.begin() + (k + 1) * count_);
  };
  for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(sorted(epoch(k)), all(count_));
  EXPECT_NE(epoch(0), epoch(1));
}

TEST_F(Pipeline, WrongPathsAreSaidWhenThePipelineIsBuilt) {
  EXPECT_CONTAINS(error_of([&] {
                    data::tfrecords({files()[0], (folder_ / "none")}, {}, {"train.cc", 9});
                  }),
                  "train.cc:9");
  EXPECT_CONTAINS(error_of([&] { data::tfrecords(std::vector<std::string>{}); }),
                  "tfrecords of no files");
  EXPECT_CONTAINS(error_of([&] { data::tfrecords("ftp://host/x"); }), "Unimplemented");
}

// As they are written in Python: ["a", "b"], ["a"] and "a".
TEST_F(Pipeline, FilesAreNamedInBracesOrAlone) {
  EXPECT_CONTAINS(error_of([] {
                    data::tfrecords({"none/a.tfrec", "none/b.tfrec"});
                  }),
                  "'none/a.tfrec'");
  EXPECT_CONTAINS(error_of([] { data::tfrecords({"none/a.tfrec"}); }), "'none/a.tfrec'");
  EXPECT_CONTAINS(error_of([] { data::tfrecords("none/a.tfrec"); }), "'none/a.tfrec'");
}

TEST_F(Pipeline, DamagedRecordsFollowThePolicy) {
  const std::string path = files()[1];
  std::string bytes = io::read_file(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  put_file(path, bytes);
  for (int reads : {1, 2}) {
    auto labels = [&](io::OnCorrupt policy) {
      return labels_of(data::tfrecords(files(), {.num_parallel_reads = reads, .on_corrupt = policy})
                           .batch(3)
                           .map(parse_pictures));
    };
    const std::string error = error_of([&] { labels(io::OnCorrupt::stop); });
    EXPECT_CONTAINS(error, "DataLoss: '" + path + "', record 6 at byte ");
    EXPECT_EQ(labels(io::OnCorrupt::skip_record).size(), static_cast<size_t>(count_ - 1));
    EXPECT_EQ(labels(io::OnCorrupt::skip_file).size(), static_cast<size_t>(count_ - 7));
  }
}

TEST_F(Pipeline, FaultsOfRecordsNameStageElementAndFeature) {
  const auto wrong = data::parse_example({{"lable", FixedLenFeature{.dtype = DType::i64}}});
  EXPECT_CONTAINS(error_of([&] {
                    data::tfrecords(files()).map(wrong, {}, {"train.cc", 12}).first();
                  }),
                  "InvalidArgument: map at train.cc:12, element 0: feature 'lable' is missing in "
                  "the record, got image, label");
  EXPECT_CONTAINS(
      error_of([&] {
        data::tfrecords(files()).batch(4).map(wrong, {}, {"train.cc", 12}).first();
      }),
      "map at train.cc:12, element 0: record 0 of the batch: feature 'lable' is missing");
}

TEST_F(Pipeline, LargeRecordsAreReadAheadInSmallNumbers) {
  {
    io::TFRecordWriter writer(folder_ / "large");
    for (int i = 0; i < 40; ++i) writer.write(std::string(size_t{1} << 19, static_cast<char>(i)));
  }
  for (int reads : {1, 2}) {
    data::Iterator iterator =
        data::tfrecords(folder_ / "large", {.num_parallel_reads = reads}).batch(2).iterator();
    const Literal record = next(iterator).only();
    EXPECT_EQ(record.string_at(1), std::string(size_t{1} << 19, '\1'));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_LE(iterator.report().front().elements, 8);
  }
}

TEST_F(Pipeline, CompressedFilesReadTheSame) {
  io::TFRecordWriter writer(folder_ / "all.gz", {.compression = io::Compression::gzip});
  for (const Example& record : data::tfrecords(files())) writer.write(record.only().bytes());
  writer.close();
  const auto packed = data::tfrecords(folder_ / "all.gz", {.compression = io::Compression::gzip});
  EXPECT_EQ(labels_of(packed.batch(6).map(parse_pictures)), all(count_));
  EXPECT_CONTAINS(error_of([&] { data::tfrecords(folder_ / "all.gz").first(); }),
                  "looks like GZIP");
}

}  // namespace
}  // namespace systolic
