// The kinds of files of load_dataset: which files, which splits, which columns.
#include <gtest/gtest.h>

#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/datasets/hub/split_files.h"
#include "systolic/datasets/load_dataset.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using namespace std::string_literals;

using datasets::load_dataset;
using datasets::Table;
using Names = std::vector<std::string>;

void put_at(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  put_file(path, bytes);
}

std::string grey_picture(int level) {
  return std::string(image::encode_jpeg(Literal::filled(DType::u8, {2, 3, 3}, level)));
}

TEST(FileKinds, SplitsOfAFolder) {
  struct Case {
    Names files;
    std::map<std::string, size_t> wanted;
  };
  const Case cases[] = {
      {{"a.parquet", "b.parquet"}, {{"train", 2}}},
      {{"train.parquet", "dev.parquet", "test.parquet"},
       {{"train", 1}, {"validation", 1}, {"test", 1}}},
      {{"data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet",
        "data/unsupervised-00000-of-00001.parquet"},
       {{"train", 2}, {"unsupervised", 1}}},
      {{"plain_text/train-00000-of-00001.parquet", "plain_text/test-00000-of-00001.parquet"},
       {{"train", 1}, {"test", 1}}},
      {{"train/x.parquet", "train/test_y.parquet", "z.parquet"}, {{"train", 2}}},
      {{"my_eval_set.parquet"}, {{"test", 1}}},
      {{"constrained.parquet"}, {{"train", 1}}},
      {{".hidden/x.parquet", "_temporary/x.parquet", "x.txt"}, {}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(join(each.files));
    const TemporaryFolder folder;
    for (const std::string& file : each.files) put_at(folder / file, "");
    std::map<std::string, size_t> found;
    for (const auto& [split, files] :
         datasets::files_by_split(folder / "", {".parquet"}, {}, datasets::Subfolders::data_sets))
      found[split] = files.size();
    EXPECT_EQ(found, each.wanted);
  }
  const TemporaryFolder folder;
  for (const char* name : {"cola/train.parquet", "mrpc/train.parquet"}) put_at(folder / name, "");
  expect_parts(error_of([&] { load_dataset(folder / ""); }),
               {"holds several data sets, expected one of: cola, mrpc"});
}

TEST(FileKinds, AnAbsolutePathIsNotLookedForBelowAnotherFolder) {
  const TemporaryFolder folder, other;
  put_at(folder / "reviews/train.csv", "text,label\na,1\n");
  EXPECT_EQ(load_dataset(folder / "reviews", {.data_dir = other / ""})["train"].num_rows(), 1);
  const std::string error =
      error_of([&] { load_dataset(folder / "none", {.data_dir = other / ""}); });
  EXPECT_CONTAINS(error, str("no data set '", folder / "none", "' in '", folder / "none", "', '"));
  EXPECT_EQ(error.find(str(other / "", "/", folder / "")), std::string::npos);
}

TEST(FileKinds, FilesPatternsAndFolders) {
  const TemporaryFolder folder;
  for (const char* name : {"a.jsonl", "b.jsonl"})
    put_at(folder / (std::string("x/") + name), "{\"n\": 1}\n{\"n\": 2}\n");
  for (const std::string& files : {folder / "x", folder / "x/*.jsonl"}) {
    const datasets::LoadDatasetOptions options{.data_files = datasets::DataFiles(files)};
    const datasets::DatasetTables tables = load_dataset("json", options);
    EXPECT_EQ(tables.split_names(), Names{"train"});
    EXPECT_EQ(tables["train"]["n"].array(), Literal::of<int64_t>({1, 2, 1, 2}));
    EXPECT_EQ(tables["train[1:3]"]["n"].array(), Literal::of<int64_t>({2, 1}));
  }
  EXPECT_EQ(load_dataset("json", {.data_dir = folder / "x"})["train"].num_rows(), 4);
  put_at(folder / "squad.json", R"({"version": 1, "data": [{"title": "a"}, {"title": "b"}]})");
  EXPECT_EQ(
      load_dataset("json", {.data_files = folder / "squad.json", .field = "data"})["train"]["title"]
          .strings(),
      (Names{"a", "b"}));
  EXPECT_CONTAINS(error_of([&] { load_dataset("csv", {.data_files = folder / "x"}); }),
                  "no file in the folder");
  for (const char* kind : {"parquet", "arrow", "csv", "json", "text", "imagefolder"}) {
    const std::string error = error_of([&] { load_dataset(kind); });
    expect_parts(error, {str("load_dataset(\"", kind, "\") without files"), ".data_files = {{",
                         ".data_dir"});
  }
}

TEST(FileKinds, TablesAreJoinedWhereTheirColumnsAgree) {
  const Table first(Example{{"n", Literal::of<int64_t>({1})}});
  const Table words(Example{{"w", Literal::strings({"a"})}});
  EXPECT_EQ(datasets::concatenated(first, first)["n"].array(), Literal::of<int64_t>({1, 1}));
  expect_parts(error_of([&] { datasets::concatenated(first, words); }),
               {"a table of w, expected n, as the first one", "file_kinds_test.cc:"});
}

TEST(FileKinds, Texts) {
  const TemporaryFolder folder;
  put_at(folder / "poem.txt", "a\nb\n\nc\n");
  const auto rows = [&](datasets::SampleBy sample_by) {
    return load_dataset(
               "text", {.data_files = folder / "poem.txt", .sample_by = sample_by})["train"]["text"]
        .strings();
  };
  EXPECT_EQ(rows(datasets::SampleBy::line), (Names{"a", "b", "", "c"}));
  EXPECT_EQ(rows(datasets::SampleBy::paragraph), (Names{"a\nb", "c\n"}));
  EXPECT_EQ(rows(datasets::SampleBy::document), (Names{"a\nb\n\nc\n"}));
  for (const char* name : {"l.csv", "l.tsv", "l.jsonl", "l.txt"}) {
    put_at(folder / name, "name\ncaf\xe9\n");
    const std::string kind = std::string(name) == "l.txt"     ? "text"
                             : std::string(name) == "l.jsonl" ? "json"
                                                              : std::string(name).substr(2);
    expect_parts(
        error_of([&] { load_dataset(kind, {.data_files = folder / name})["train"]; }),
        {"DataLoss", "line 2: the byte 0xe9 is not UTF-8; the file may be Latin-1", "iconv"});
  }
}

TEST(FileKinds, FoldersOfPicturesAreClasses) {
  const TemporaryFolder folder;
  for (const char* split : {"train", "test"}) {
    put_at(folder / str(split, "/dull/1.jpg"), grey_picture(40));
    put_at(folder / str(split, "/fine/2.JPG"), grey_picture(200));
  }
  const auto tables = load_dataset("imagefolder", {.data_dir = folder / ""});
  EXPECT_EQ(tables.split_names(), (Names{"test", "train"}));
  const Table train = tables["train"];
  EXPECT_EQ(train.column_names(), (Names{"image", "label"}));
  EXPECT_EQ(train["label"].array(), Literal::of<int64_t>({0, 1}));
  EXPECT_EQ(train["label"].class_names(), (Names{"dull", "fine"}));
  EXPECT_EQ(train["image"][1].shape(), (Shape{2, 3, 3}));
  EXPECT_NEAR(static_cast<double>(train["image"][1].integer_at(0)), 200, 2);
  EXPECT_EQ(
      load_dataset("imagefolder", {.data_dir = folder / "train/dull"})["train"].column_names(),
      Names{"image"});
}

TEST(FileKinds, MetadataNameThePictures) {
  const TemporaryFolder folder;
  put_at(folder / "a/1.jpg", grey_picture(40));
  put_at(folder / "b/2.jpg", grey_picture(200));
  put_at(folder / "metadata.csv", "caption,file_name\nlight,b/2.jpg\ndark,a/1.jpg\n");
  const Table table = load_dataset("imagefolder", {.data_dir = folder / ""})["train"];
  EXPECT_EQ(table.column_names(), (Names{"caption", "image"}));
  EXPECT_EQ(table["caption"].strings(), (Names{"light", "dark"}));
  EXPECT_NEAR(static_cast<double>(table["image"][0].integer_at(0)), 200, 2);
  for (const char* name : {"/etc/passwd", "../x.jpg", "a/../../x.jpg", "gs://b/x.jpg", "\"\""}) {
    put_at(folder / "metadata.csv", str("file_name,n\n", name, ",1\n"));
    EXPECT_CONTAINS(
        error_of([&] { load_dataset("imagefolder", {.data_dir = folder / ""})["train"]; }),
        "expected a path below its folder");
  }
  put_at(folder / "metadata.csv", "name,n\nx,1\n");
  EXPECT_CONTAINS(
      error_of([&] { load_dataset("imagefolder", {.data_dir = folder / ""})["train"]; }),
      "has no column 'file_name'");
}

TEST(FileKinds, FoldersOfSounds) {
  const std::string wav =
      "RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\4\0\0\0"
      "\0\0\0\x40"s;
  const TemporaryFolder folder;
  put_at(folder / "x/one.wav", wav);
  put_at(folder / "y/two.wav", wav);
  put_at(folder / "y/three.mp3", "ID3");
  const Table table = load_dataset("audiofolder", {.data_dir = folder / ""})["train"];
  EXPECT_EQ(table.column_names(), (Names{"audio", "audio.sampling_rate", "label"}));
  EXPECT_EQ(table["audio"][0], Literal::from(std::vector<float>{0, 0.5f}, {2, 1}));
  EXPECT_EQ(table["audio.sampling_rate"][0].item<int64_t>(), 8000);
  EXPECT_EQ(table["label"].class_names(), (Names{"x", "y"}));
  expect_parts(error_of([&] { table["audio"][1]; }), {"y/three.mp3"});
}

}  // namespace
}  // namespace systolic
