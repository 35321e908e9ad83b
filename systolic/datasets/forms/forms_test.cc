// Each form in which a data set may lie on the disk, written here and read back by load().
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/datasets/load.h"
#include "systolic/datasets/load_dataset.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/idx.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;

void put(const std::string& path, const std::string& bytes) {
  fs::create_directories(fs::path(path).parent_path());
  put_file(path, bytes);
}

// A picture of one grey.
std::string jpeg(int grey, int64_t height = 4) {
  return image::encode_jpeg(Literal::filled(DType::u8, {height, 6, 3}, grey));
}

std::vector<int64_t> labels(const data::Dataset& dataset, const char* name = "label") {
  std::vector<int64_t> result;
  for (const Example& element : dataset) result.push_back(element[name].item<int64_t>());
  return result;
}

int64_t grey_of(const Example& element) { return element["image"].integer_at(0); }

using Labels = std::vector<int64_t>;

TEST(Forms, PicturesInClassFolders) {
  const TemporaryFolder folder;
  // "b" has no picture in the test; notes are not pictures.
  for (const auto& [path, grey] : std::map<std::string, int>{{"mine/train/a/1.jpg", 10},
                                                             {"mine/train/a/2.JPEG", 20},
                                                             {"mine/train/b/1.jpg", 30},
                                                             {"mine/train/c/1.jpg", 40},
                                                             {"mine/test/a/1.jpg", 50},
                                                             {"mine/test/c/1.jpg", 60}})
    put(folder / path, jpeg(grey));
  put(folder / "mine/train/a/notes.txt", "x");
  const auto loaded =
      datasets::load("mine", {.split = "train", .as_supervised = true, .data_dir = folder / ""});
  const data::Dataset& train = loaded.dataset;
  const datasets::DatasetInfo& info = loaded.info;
  EXPECT_EQ(labels(train), (Labels{0, 0, 1, 2}));
  EXPECT_EQ(train.cardinality(), 4);
  EXPECT_EQ(info.feature("label").class_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(info.split("test").num_examples, 2);
  const Example first = train.first();
  EXPECT_EQ(first.names(), (std::vector<std::string>{"image", "label"}));
  EXPECT_EQ(first["image"].shape(), (Shape{4, 6, 3}));
  EXPECT_NEAR(static_cast<double>(grey_of(first)), 10, 1);
  // The folder itself, where .data_dir names it; and all features.
  const auto test =
      datasets::load("imagenet-folder", {.split = "test", .data_dir = folder / "mine"});
  EXPECT_EQ(labels(test.dataset), (Labels{0, 2}));
  EXPECT_EQ(test.dataset.first()["image/filename"], Literal::scalar("a/1.jpg"));
  // Without folders for splits all of it is "train".
  const auto rest = datasets::load("x", {.split = "train[50%:]+train[:50%]",
                                         .as_supervised = true,
                                         .data_dir = folder / "mine/train"});
  Labels of_both = labels(rest.dataset);
  std::sort(of_both.begin(), of_both.end());
  EXPECT_EQ(of_both, (Labels{0, 0, 1, 2}));
  put(folder / "mine/train/c/1.jpg", "no picture");
  expect_parts(error_of([&] { labels(train); }), {"element 3", "mine/train/c/1.jpg': "});
}

// tfds mixes what it prepares, so that each part of a split has all classes; folders lie class by
// class, and a part cut from that order would have the last ones alone.
TEST(Forms, PartsOfClassFoldersHaveAllClasses) {
  const TemporaryFolder folder;
  const std::string picture = jpeg(50);
  for (const char* name : {"a", "b", "c"}) {
    for (int i = 0; i < 40; ++i) put(folder / str("mine/", name, "/", i, ".jpg"), picture);
  }
  const auto files = [&](const char* split, bool shuffled = false) {
    std::vector<std::string> names;
    const auto loaded = datasets::load(
        "mine",
        {.split = split, .shuffle_files = shuffled, .data_dir = folder / "", .shuffle_seed = 3});
    for (const Example& element : loaded.dataset)
      names.emplace_back(element["image/filename"].bytes());
    return names;
  };
  const auto count = [](const std::vector<std::string>& names, char of_class) {
    return std::count_if(names.begin(), names.end(),
                         [&](const std::string& name) { return name[0] == of_class; });
  };
  std::vector<std::string> parts = files("train[:75%]");
  const std::vector<std::string> rest = files("train[75%:]");
  ASSERT_EQ(rest.size(), 30u);
  // 10 expected of each; 5 are two standard deviations (2.2) below, and the order is always this.
  for (const char name : {'a', 'b', 'c'}) EXPECT_GE(count(rest, name), 5) << name;
  EXPECT_EQ(files("train[75%:]"), rest);
  parts.insert(parts.end(), rest.begin(), rest.end());
  std::sort(parts.begin(), parts.end());
  std::vector<std::string> whole = files("train");
  EXPECT_EQ(whole[39].substr(0, 2), "a/") << "the whole split lies class by class";
  std::sort(whole.begin(), whole.end());
  EXPECT_EQ(parts, whole) << "each picture is in one part";
  // shuffle_files mixes the whole as well, as tfds's ImageFolder does.
  std::vector<std::string> shuffled = files("train", true);
  EXPECT_LT(count({shuffled.begin(), shuffled.begin() + 40}, 'a'), 30);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, whole);
}

// What lies between pictures on people's disks: nothing of it is a picture or a class, and what has
// a picture's name and is none is named, or left out.
TEST(Forms, OtherFilesAmongPictures) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  for (const char* path : {"mine/a/1.JPG", "mine/a/2.JpEg", "mine/b/1.jpg", "elsewhere/2.jpg"})
    put(folder / path, jpeg(50));
  fs::create_directories(folder / "mine/no_pictures");
  fs::create_symlink("../../elsewhere/2.jpg", folder / "mine/b/2.jpg");
  for (const char* path :
       {"mine/.DS_Store", "mine/notes.txt", "mine/a/._1.JPG", "mine/a/Thumbs.db", "mine/a/jpg",
        "mine/a/within/3.jpg", "mine/.hidden/1.jpg", "mine/no_pictures/1.txt"})
    put(folder / path, "no picture");
  const auto load = [&] {
    return datasets::load("mine", {.split = "train", .data_dir = folder / ""});
  };
  EXPECT_EQ(labels(load().dataset), (Labels{0, 0, 1, 1}));
  EXPECT_EQ(load().info.feature("label").class_names, (std::vector<std::string>{"a", "b"}));

  put(folder / "mine/a/3.jpg", "");
  put(folder / "mine/a/4.jpg", jpeg(50).substr(0, 100));
  put(folder / "mine/b/3.png", "<html>");
  fs::create_directories(folder / "mine/b/4.jpg");
  fs::create_symlink("nowhere.jpg", folder / "mine/b/5.jpg");
  EXPECT_CONTAINS(error_of([&] { labels(load().dataset); }), "mine/a/3.jpg': ");
  const CaughtLog log;
  EXPECT_EQ(labels(load().dataset.ignore_errors()), (Labels{0, 0, 1, 1}));
  for (const char* said :
       {"a/3.jpg': decode_image: the bytes are empty", "a/4.jpg': decode_jpeg: a JPEG image",
        "b/3.png': decode_image: the bytes are the text '<html>'", "b/4.jpg' is a directory",
        "b/5.jpg'"})
    EXPECT_CONTAINS(log.lines(), said);
}

TEST(Forms, AFolderOfOtherPicturesIsNoDataSetThatIsKnownByName) {
  const TemporaryFolder folder;
  put(folder / "home/screenshots/1.png", "x");
  put(folder / "flower_photos/roses/1.jpg", jpeg(10));
  const auto load = [&](const char* name, const char* place) {
    return error_of([&] {
      datasets::load(name, {.split = "train", .data_dir = folder / place, .download = false});
    });
  };
  EXPECT_CONTAINS(load("mnist", "home"), "NotFound");
  EXPECT_CONTAINS(load("flowers", "home/"), "NotFound");
  EXPECT_EQ(load("flowers", "flower_photos/"), "no error");
  EXPECT_EQ(load("mine", "home"), "no error");
}

TEST(Forms, TfrecordsAsKaggleHasThem) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& path, int first, int count, bool labelled) {
    fs::create_directories(fs::path(folder / path).parent_path());
    io::TFRecordWriter writer(folder / path);
    for (int i = first; i < first + count; ++i) {
      Example record{{"image", Literal::scalar(std::string_view(jpeg(10 * i)))},
                     {"size", Literal::of<int64_t>({4, 6})},
                     {"id", Literal::scalar("flower")}};
      if (labelled) record.set("class", Literal::scalar<int64_t>(i));
      writer.write(record);
    }
    writer.close();
  };
  write("flowers/tfrecords-jpeg-4x6/train/00-4x6-2.tfrec", 0, 2, true);
  write("flowers/tfrecords-jpeg-4x6/train/01-4x6-3.tfrec", 2, 3, true);
  write("flowers/tfrecords-jpeg-4x6/val/00-4x6-1.tfrec", 7, 1, true);
  const auto [train, info] =
      datasets::load("flowers", {.split = "train", .as_supervised = true, .data_dir = folder / ""});
  EXPECT_EQ(labels(train, "class"), (Labels{0, 1, 2, 3, 4}));
  EXPECT_EQ(info.split("train").num_examples, 5);
  EXPECT_EQ(info.split("validation").num_examples, 1);
  EXPECT_NEAR(static_cast<double>(grey_of(train.skip(3).first())), 30, 1);
  const auto all = datasets::load("flowers", {.split = "train[:40%]", .data_dir = folder / ""});
  EXPECT_EQ(to_string(all.dataset.first()),
            "{image: u8(4, 6, 3), size: i64(2,), id: string(), class: i64()}");
  EXPECT_EQ(labels(all.dataset, "class"), (Labels{0, 1}));
  // Names that do not say how many: they are counted when a part needs it.
  write("plain/train-a.tfrec", 0, 4, true);
  write("plain/test-a.tfrec", 4, 1, true);
  const auto half = datasets::load("plain", {.split = "train[-50%:]", .data_dir = folder / ""});
  EXPECT_EQ(labels(half.dataset, "class"), (Labels{2, 3}));
  EXPECT_EQ(half.info.split("train").num_examples, data::unknown_cardinality);
  write("flowers/tfrecords-jpeg-8x8/train/00-8x8-1.tfrec", 0, 1, true);
  EXPECT_CONTAINS(
      error_of([&] { datasets::load("flowers", {.split = "train", .data_dir = folder / ""}); }),
      "several sizes: tfrecords-jpeg-4x6, tfrecords-jpeg-8x8");
}

TEST(Forms, ANumberInAFilesNameIsAHintOnly) {
  struct Row {
    std::vector<const char*> names;  // each file has two records
    int64_t said;
  };
  const int64_t unknown = data::unknown_cardinality;
  const Row table[] = {
      {{"train-00000-of-00002.tfrec", "train-00001-of-00002.tfrec"}, unknown},
      {{"train-0-of-2.tfrec", "train-1-of-2.tfrec"}, unknown},
      {{"train-0.tfrec", "train-1.tfrec"}, unknown},
      {{"train-1.tfrec", "train-2.tfrec", "train-3.tfrec"}, unknown},
      {{"train-00010.tfrec"}, unknown},
      {{"train-1.tfrec"}, 1},
      {{"train-9223372036854775807.tfrec", "train-a-9223372036854775806.tfrec"}, unknown},
      {{"flowers00-2.tfrec", "flowers01-2.tfrec"}, 4},
      {{"flowers00-7.tfrec", "flowers01-7.tfrec"}, 14},  // a lie
  };
  for (const Row& row : table) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "t");
    for (const char* name : row.names) {
      io::TFRecordWriter writer(folder / (std::string("t/") + name));
      for (const int64_t label : {0, 1}) writer.write(Example{{"label", Literal::scalar(label)}});
      writer.close();
    }
    const auto all = datasets::load("t", {.split = "train", .data_dir = folder / ""});
    EXPECT_EQ(all.info.split("train").num_examples, row.said) << row.names[0];
    EXPECT_EQ(labels(all.dataset).size(), 2 * row.names.size()) << row.names[0];
    const auto half = datasets::load("t", {.split = "train[:50%]", .data_dir = folder / ""});
    EXPECT_EQ(labels(half.dataset).size(), row.names.size()) << row.names[0];
  }
}

TEST(Forms, MnistsOwnFiles) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "mnist");
  std::vector<uint8_t> pixels(3 * 28 * 28);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 7);
  for (const char* stem : {"train", "t10k"}) {
    io::write_idx(str(folder / "mnist/", stem, "-images-idx3-ubyte"),
                  Literal::from(pixels, {3, 28, 28}));
    io::write_idx(str(folder / "mnist/", stem, "-labels-idx1-ubyte"),
                  Literal::of<uint8_t>({5, 0, 4}));
  }
  const auto [train, info] = datasets::load(
      "mnist", {.split = "train+test[:1]", .as_supervised = true, .data_dir = folder / ""});
  EXPECT_EQ(labels(train), (Labels{5, 0, 4, 5}));
  EXPECT_EQ(to_string(train.first()), "{image: u8(28, 28, 1), label: i64()}");
  EXPECT_EQ(train.skip(1).first()["image"].integer_at(3), (784 + 3) * 7 % 256);
  EXPECT_EQ(info.feature("label").num_classes, 10);
  put(folder / "mnist/t10k-labels-idx1-ubyte", "\x00\x00\x08\x01");
  EXPECT_CONTAINS(
      error_of([&] { datasets::load("mnist", {.split = "test", .data_dir = folder / ""}); }),
      "t10k-labels-idx1-ubyte");
}

TEST(Forms, TablesOfEveryKind) {
  const TemporaryFolder folder;
  // As GLUE hands CoLA out: four columns and no names; the test has a line of names.
  put(folder / "glue/cola/train.tsv",
      "gj04\t1\t\tOur friends \"won't\" buy it.\ngj04\t0\t*\tOne more, or I'm giving up.\n");
  put(folder / "glue/cola/dev.tsv", "gj04\t1\t\tThe sailors rode the breeze.\n");
  put(folder / "glue/cola/test.tsv", "index\tsentence\n0\tBill whistled past the house.\n");
  const auto [train, info] = datasets::load(
      "glue/cola", {.split = "train", .as_supervised = true, .data_dir = folder / ""});
  EXPECT_EQ(labels(train), (Labels{1, 0}));
  EXPECT_EQ(train.first()["sentence"], Literal::scalar("Our friends \"won't\" buy it."));
  EXPECT_EQ(info.feature("label").class_names,
            (std::vector<std::string>{"unacceptable", "acceptable"}));
  EXPECT_EQ(
      labels(datasets::load("cola", {.split = "validation", .data_dir = folder / ""}).dataset),
      (Labels{1}));
  put(folder / "c/train.csv",
      "\xef\xbb\xbftext,n,x\r\n\"a \"\"b\"\", c\nd\",1,0.5\r\n\r\ne,2,\r\n");
  const Example row =
      datasets::load("c", {.split = "train", .data_dir = folder / ""}).dataset.first();
  EXPECT_EQ(to_string(row), "{text: string(), n: i64(), x: f64()}");
  EXPECT_EQ(row["text"].bytes(), "a \"b\", c\nd");
  put(folder / "j/train.jsonl",
      "{\"t\": \"a\", \"ids\": [1, 2], \"ok\": true}\n\n"
      "{\"t\": null, \"ids\": [], \"ok\": false}\n");
  const auto json = datasets::load("j", {.split = "train", .data_dir = folder / ""}).dataset;
  EXPECT_EQ(to_string(json.first()), "{t: string(), ids: i64(2,), ok: i64()}");
  EXPECT_EQ(json.skip(1).first()["ids"].shape(), Shape{0});
}

// As the lines of SQuAD: flatten() of Hugging Face's tables gives the same names.
TEST(Forms, NamesOfMembersHaveABound) {
  const TemporaryFolder folder;
  put(folder / "q/train.jsonl", "{\"" + std::string(2000, 'k') + "\": {\"b\": 1, \"c\": 2}}\n");
  EXPECT_CONTAINS(
      error_of([&] { datasets::load_dataset("q", {.data_dir = folder / ""})["train"]; }),
      "line 1: a name of 2002 bytes, expected at most 1024");
}

TEST(Forms, MembersOfObjectsInJsonLinesAreColumns) {
  const TemporaryFolder folder;
  put(folder / "q/train.jsonl",
      R"({"question": "who", "answers": {"text": ["she"], "answer_start": [4]}, "x": {"y": {"z": 1}}})"
      "\n"
      R"({"x": {"y": {"z": 2}}, "question": "when", "answers": {"answer_start": [], "text": []}})"
      "\n");
  const auto table = datasets::load_dataset("q", {.data_dir = folder / ""})["train"];
  EXPECT_EQ(join(table.column_names()), "question, answers.text, answers.answer_start, x.y.z");
  EXPECT_EQ(table["answers.text"][0], Literal::strings(std::vector<std::string_view>{"she"}, {1}));
  EXPECT_EQ(table["answers.answer_start"][0].integer_at(0), 4);
  EXPECT_EQ(table["answers.text"][1].size(), 0);
  EXPECT_EQ(table["x.y.z"][1].integer_at(0), 2);
}

// The column "a" of a table of that name and content, as texts.
std::string column_of(const char* file, const std::string& content) {
  const TemporaryFolder folder;
  put(folder / (std::string("t/") + file), content);
  std::vector<std::string> values;
  DType dtype = DType::pred;
  for (const Example& row :
       datasets::load("t", {.split = "train", .data_dir = folder / ""}).dataset) {
    dtype = row["a"].dtype();
    values.push_back(dtype == DType::string ? std::string(row["a"].bytes())
                                            : fixed(row["a"].number_at(0), 2));
  }
  return str(dtype, " ", join(values, " "));
}

TEST(Forms, NumbersOfTablesAreNotRounded) {
  struct Row {
    const char *file, *content, *column;
  };
  const Row table[] = {
      {"train.csv", "a,b\n123456789,1\n5,2\n", "i64 123456789.00 5.00"},
      {"train.csv", "a,b\n123456789,1\n,2\n", "f64 123456789.00 nan"},
      {"train.csv", "a,b\n,2\n123456789,1\n", "f64 nan 123456789.00"},
      {"train.csv", "a,b\n9007199254740993,1\n,2\n", "string 9007199254740993 "},
      {"train.csv", "a,b\n12345678901234567890,1\n5,2\n", "string 12345678901234567890 5"},
      {"train.csv", "a,b\n16777217.25,1\n2,2\n", "f64 16777217.25 2.00"},
      {"train.csv", "a,b\n1e300,1\n1e400,2\n", "string 1e300 1e400"},
      {"train.csv", "a,b\n,1\n,2\n", "string  "},
      {"train.tsv", "a\tb\nx\ry\t1\r\n\r\tz\n", "string x\ry \r"},
      {"train.csv", "a,b\nx\ry,1\r\nz,2\r", "string x\ry z"},
      {"train.csv", "a,b\rx,1\r\r\"y\rw\",2\rz,3", "string x y\rw z"},  // no line feed at all
      {"train.csv", "a,b\rx,1\r\"y\nw\",2\r", "string x y\nw"},         // but in quotes
      {"train.jsonl", "{\"a\": 123456789}\n{\"a\": null}\n", "f64 123456789.00 nan"},
      {"train.jsonl", "{\"a\": 16777217.25}\n", "f64 16777217.25"},
      {"train.jsonl", "{\"b\": 1, \"a\": 1}\n{\"a\": 2, \"b\": 1}\n", "i64 1.00 2.00"},
  };
  for (const Row& row : table)
    EXPECT_EQ(column_of(row.file, row.content), row.column) << row.content;
}

TEST(Forms, AColumnHasOneTypeInAllSplits) {
  const TemporaryFolder folder;
  put(folder / "t/train.csv", "a,label\n1,0\n2,1\n");
  put(folder / "t/test.csv", "a,label\n0.5,\n");
  const auto row = [&](const char* split) {
    const auto loaded = datasets::load("t", {.split = split, .data_dir = folder / ""});
    EXPECT_EQ(loaded.info.feature("a").dtype, DType::f64);
    return loaded.dataset.first();
  };
  EXPECT_EQ(to_string(row("train")), "{a: f64(), label: i64()}");
  EXPECT_EQ(to_string(row("test")), "{a: f64(), label: string()}");
  EXPECT_EQ(row("test")["a"].number_at(0), 0.5);
  put(folder / "t/train.csv", "a,label\n9007199254740993,0\n");
  EXPECT_CONTAINS(error_of([&] { row("train"); }), "column 'a' holds 9007199254740993");
}

TEST(Forms, HostileJsonIsRefusedAtOnce) {
  std::string object = "{";
  for (int i = 0; i < 1'000'000; ++i) object += str(i == 0 ? "" : ",", "\"k", i, "\":0");
  object += "}";
  for (const char* file : {"t/train.jsonl", "t/1.0.0/dataset_info.json"}) {
    for (const std::string& text : {object, std::string(1'000'000, '[')}) {
      const TemporaryFolder folder;
      put(folder / file, text);
      EXPECT_CONTAINS(
          error_of([&] { datasets::load("t", {.split = "train", .data_dir = folder / ""}); }),
          "DataLoss");
    }
  }
}

TEST(Forms, AnotherSignBetweenColumnsIsSaid) {
  const TemporaryFolder folder;
  put(folder / "t/train.csv", "text;label\nfine;1\n");
  const CaughtLog log;
  datasets::load("t", {.split = "train", .data_dir = folder / ""});
  EXPECT_CONTAINS(log.lines(), "has one column, 'text;label': a .csv is divided by commas");
}

TEST(Forms, TablesThatAreDamagedNameFileAndLine) {
  const std::pair<std::pair<const char*, const char*>, const char*> table[] = {
      {{"train.csv", "a,b\n1,2\n3\n"}, "train.csv', line 3: 1 fields, expected 2: a, b"},
      {{"train.csv", "a,a\n1,2\n"}, "line 1: two columns are named 'a'"},
      {{"train.csv", "a,b\n1,\"2\n"}, "line 2: a quote that is never closed"},
      {{"train.csv", "a,b\n1,\"2\"x\n"}, "line 2: text after a closing quote"},
      {{"train.csv", ""}, "the file is empty"},
      {{"train.jsonl", "{\"a\": 1}\n{\"a\": \"x\"}\n"}, "line 2: 'a' holds numbers and texts"},
      {{"train.jsonl", "{\"a\": {}}\n"}, "line 1: records without values"},
      {{"train.jsonl", "{\"a\": {\"b\": 1}}\n{\"a\": [1]}\n"},
       "line 2: 'a' holds lists and objects"},
      {{"train.jsonl", "{\"a.b\": 1}\n{\"a\": {\"b\": 1}}\n"}, "line 2: the name 'a.b' twice"},
      {{"train.jsonl", "{\"a\": 18446744073709551615}\n"}, "line 1: 'a' is beyond int64"},
      {{"train.jsonl", "{\"a\": 1\n"}, "line 1: no JSON, column 8: syntax error"},
      {{"train.jsonl", "{\"a\": 1}\n{\"a\": NaN}\n"}, "line 2: no JSON, column 7"},
      {{"train.jsonl", "[{\"a\": 1},\n"}, "expected a list of objects"},
      {{"train.jsonl", "[{\"a\": 1}, 2]\n"}, "record 1: no JSON object"},
      {{"train.jsonl", "{\n\"a\": 1}\n"}, "of an object over several lines, load_dataset's .field"},
      {{"train.jsonl", "{\"a\": null}\n{\"a\": 9007199254740993}\n"},
       "'a' holds null and 9007199254740993"},
      {{"train.jsonl", ""}, "no record"},
  };
  for (const auto& [file, message] : table) {
    const TemporaryFolder folder;
    put(folder / (std::string("t/") + file.first), file.second);
    const std::string error =
        error_of([&] { datasets::load("t", {.split = "train", .data_dir = folder / ""}); });
    EXPECT_CONTAINS(error, "DataLoss");
    EXPECT_CONTAINS(error, message);
  }
}

}  // namespace
}  // namespace systolic
