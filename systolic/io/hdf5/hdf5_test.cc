// Writing and reading again, and what harm a file can do.
#include "systolic/io/hdf5/hdf5.h"

#include <dirent.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/hdf5/parse_tree.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker_image.h"
#include "systolic/io/worker/worker_process.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Arrays = std::map<std::string, Literal>;

io::Hdf5Group group_of(const Arrays& arrays) {
  io::Hdf5Group root;
  for (const auto& [path, value] : arrays) root.add_dataset(path, value.dtype(), value.shape());
  return root;
}

void write(const std::string& path, const io::Hdf5Group& root, const Arrays& arrays) {
  io::write_hdf5(path, root, [&](const std::string& name, const auto&) { return arrays.at(name); });
}

std::string golden(const std::string& name) {
  return test::source_path("systolic/io/hdf5/golden/" + name);
}

class Hdf5 : public NeedsHdf5 {};

TEST_F(Hdf5, WhatIsWrittenIsReadAgain) {
  const TemporaryFolder folder;
  const Arrays arrays = {
      {"a", Literal::of<float>({{1, 2}, {3, 4}})},
      {"deep/er/b", Literal::scalar<int8_t>(-3)},
      {"deep/c", Literal::of<bool>({true, false, true})},
      {"deep/half", Literal::of<float>({0.5, -2}).convert(DType::f16)},
      {"deep/brain", Literal::of<float>({0.5, -2}).convert(DType::bf16)},
      {"deep/none", Literal::zeros(DType::u16, {3, 0})},
      {"large", Literal::filled(DType::f64, {300, 1000}, 1.5)},
  };
  io::Hdf5Group root = group_of(arrays);
  root.set("backend", Literal::scalar("jax"));
  root.set("long", Literal::scalar(std::string(200'000, 'x')));
  root.add_group("deep/er").set("numbers", Literal::of<double>({1, 2}));
  root.add_group("no/members");
  std::vector<std::string> names;
  for (int i = 0; i < 9000; ++i) names.push_back(str("layer_", i, "/kernel:0"));
  io::set_hdf5_strings(root, "weight_names", names);
  io::set_hdf5_strings(root, "few_names", {"a", ""});
  root.set("nothing", Literal::zeros(DType::f64, {0}));
  write(folder / "x.h5", root, arrays);

  const io::Hdf5File file = io::open_hdf5(folder / "x.h5");
  for (const auto& [path, value] : arrays) EXPECT_EQ(file.read(path), value) << path;
  EXPECT_EQ(*file.root().attribute("backend"), Literal::scalar("jax"));
  EXPECT_EQ(file.root().attribute("long")->bytes().size(), 200'000u);
  EXPECT_EQ(*file.root().attribute("nothing"), Literal::zeros(DType::f64, {0}));
  EXPECT_EQ(*file.root().find_group("deep/er")->attribute("numbers"), Literal::of<double>({1, 2}));
  EXPECT_NE(file.root().find_group("no/members"), nullptr);
  EXPECT_EQ(file.root().attribute("weight_names"), nullptr);
  EXPECT_EQ(io::hdf5_strings(file.root(), "weight_names"), names);
  EXPECT_EQ(*file.root().find_dataset("deep/brain")->attribute("dtype"),
            Literal::scalar("bfloat16"));
  EXPECT_FALSE(file.read("large").owns_memory());  // a view of the file
}

TEST_F(Hdf5, TheSameBytesEachTime) {
  const TemporaryFolder folder;
  const Arrays arrays = {{"a/b", Literal::of<float>({1, 2})}};
  write(folder / "1", group_of(arrays), arrays);
  write(folder / "2", group_of(arrays), arrays);
  EXPECT_EQ(io::read_file(folder / "1"), io::read_file(folder / "2"));
}

TEST_F(Hdf5, NothingRemainsOfAWriteThatFails) {
  const TemporaryFolder folder;
  const Arrays arrays = {{"a", Literal::of<float>({1, 2})}};
  const std::string error = error_of([&] {
    write(folder / "x.h5", group_of(arrays), {{"a", Literal::of<float>({1, 2, 3})}});
  });
  expect_parts(error, {"InvalidArgument: dataset 'a', got f32(3,), expected f32(2,)"});
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

TEST_F(Hdf5, WhatHdf5CannotHold) {
  auto error_of_layout = [](const io::Hdf5Group& root) {
    return error_of([&] { io::Hdf5Layout layout(root); });
  };
  auto with_dataset = [](const std::string& name, DType dtype) {
    io::Hdf5Group root;
    root.datasets.push_back(
        {.name = name, .dtype = dtype, .shape = Shape{1}, .attributes = {}, .unreadable = {}});
    return root;
  };
  auto with_attribute = [](const std::string& name, Literal value) {
    io::Hdf5Group root;
    root.attributes.push_back({name, std::move(value)});
    return root;
  };
  io::Hdf5Group twice = with_dataset("a", DType::f32);
  twice.add_group("a");
  io::Hdf5Group deep;
  deep.add_group([] {
    std::string path;
    for (int i = 0; i < 201; ++i) path += "g/";
    return path.substr(0, path.size() - 1);
  }());
  const std::vector<std::string> many(4033, "x");
  const std::vector<std::pair<io::Hdf5Group, std::string>> cases = {
      {with_dataset("", DType::f32), "the name '' in '/'"},
      {with_dataset("a/b", DType::f32), "the name 'a/b' in '/'"},
      {with_dataset(".", DType::f32), "the name '.' in '/'"},
      {with_dataset("x", DType::string), "dataset 'x' of type string"},
      {with_dataset("x", DType::i4), "dataset 'x' of type i4"},
      {with_dataset("x", DType::f8e5m2), "dataset 'x' of type f8e5m2"},
      {with_attribute("x", Literal::strings(many)),
       "'@x' takes 64528 bytes, expected at most 64512"},
      {with_attribute("x", Literal::scalar(std::string_view("a\0b", 3))), "holds a zero byte"},
      {with_attribute("", Literal::scalar(1)), "the attribute '@'"},
      {twice, "the name 'a' is given twice"},
      {deep, "groups in each other, more than 200"},
  };
  for (const auto& [root, says] : cases)
    expect_parts(error_of_layout(root), {"InvalidArgument: HDF5: ", says});
}

TEST_F(Hdf5, FilesThatAreNone) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "it as an HDF5 file"},
      {"PK\3\4 and so on", "it as an HDF5 file"},
      {std::string("\x89HDF\r\n\x1a\n"), "it as an HDF5 file"},
      {std::string("\x89HDF\r\n\x1a\n") + std::string(5000, '\xff'), "it as an HDF5 file"}};
  for (const auto& [bytes, says] : cases) {
    put_file(folder / "x.h5", bytes);
    expect_parts(error_of([&] { io::open_hdf5(folder / "x.h5"); }),
                 {"DataLoss: '", "x.h5' cannot be read: ", says});
  }
  EXPECT_CONTAINS(error_of([&] { io::open_hdf5(folder / "y.h5"); }), "NotFound: ");
  EXPECT_CONTAINS(error_of([&] { io::open_hdf5(folder / ""); }), "InvalidArgument: ");
}

// A byte changed in twenty places, and the file cut there: the arrays, or an error that names the
// file.
TEST_F(Hdf5, DamagedFiles) {
  const TemporaryFolder folder;
  for (const char* name : {"packed.h5", "keras.weights.h5"}) {
    const std::string whole = io::read_file(golden(name));
    for (size_t i = 7; i < whole.size(); i += whole.size() / 20) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
      for (const std::string& bytes : {damaged, whole.substr(0, i)}) {
        const std::string error = error_of([&] {
          const io::Hdf5File file = io::open_hdf5_bytes(bytes, nullptr, "x.h5");
          for (const io::Hdf5Dataset& dataset : file.root().datasets) file.read(dataset);
        });
        EXPECT_TRUE(error == "no error" || contains(error, "'x.h5'")) << name << i << error;
      }
    }
  }
}

// The processes that this one has started.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) all.push_back(child);
  }
  return all;
}

TEST_F(Hdf5, AWorkerThatIsKilled) {
  const std::vector<std::pair<int, std::string>> cases = {{SIGSEGV, "signal 11"},
                                                          {SIGXCPU, "seconds of processor time"}};
  for (const auto& [by, says] : cases) {
    const io::Hdf5File file = io::open_hdf5(golden("packed.h5"));
    const std::vector<pid_t> workers = children();
    ASSERT_EQ(workers.size(), 1u);
    kill(workers[0], by);
    for (int again = 0; again < 2; ++again) {
      expect_parts(error_of([&] { file.read("gzip"); }),
                   {"DataLoss: '", "packed.h5' ended the process that read it: ", says});
    }
  }
}

TEST_F(Hdf5, NoWorkerStaysWhereNoneIsNeeded) {
  const io::Hdf5File file = io::open_hdf5(golden("keras.weights.h5"));
  EXPECT_TRUE(children().empty());
}

// What a worker gives within such limits.
std::string error_within(const io::WorkerLimits& limits) {
  const std::string whole = io::read_file(golden("types.h5"));
  const io::OpenNumber file = io::file_in_memory({});
  EXPECT_EQ(::write(file, whole.data(), whole.size()), static_cast<ssize_t>(whole.size()));
  return error_of([&] {
    io::WorkerProcess worker(io::hdf5_program(), file, 1 << 16, limits, "x.h5", {});
    std::string tree;
    worker.ask({.kind = io::hdf5_wire::Kind::list, .a = 0, .b = whole.size()},
               [&](std::string_view piece) { tree += piece; }, {});
  });
}

TEST_F(Hdf5, Limits) {
  EXPECT_EQ(error_within({}), "no error");
  EXPECT_CONTAINS(error_within({.memory_bytes = 1 << 16}), "DataLoss: ");
}

TEST_F(Hdf5, SeveralThreads) {
  const io::Hdf5File file = io::open_hdf5(golden("packed.h5"));
  const Literal wanted = file.read("chunked");
  std::atomic<int> equal = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const io::Hdf5File other = io::open_hdf5(golden("packed.h5"));
        equal += file.read("gzip") == wanted && other.read("shuffled") == wanted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 20);
}

// A worker that was taken over may answer anything.
TEST(Hdf5Tree, AnswersThatMakeNoSense) {
  io::hdf5_wire::Writer good;
  good.byte(static_cast<uint8_t>(io::hdf5_wire::Item::group));
  good.text("");
  good.number(1);  // attribute
  good.text("a");
  good.text("string");
  good.number(0);
  good.text("text");
  good.byte(static_cast<uint8_t>(io::hdf5_wire::Item::dataset));
  good.text("d");
  good.text("f32");
  good.number(1);
  good.number(3);
  good.number(100);
  good.number(12);
  good.text("");
  good.number(0);
  good.byte(static_cast<uint8_t>(io::hdf5_wire::Item::end));
  auto fail = [](std::string_view what) { raise<DataLoss>({.what = std::string(what)}); };
  const std::string& whole = good.bytes();
  EXPECT_EQ(io::parse_tree(whole, fail).root.datasets.at(0).shape, Shape{3});
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_CONTAINS(error_of([&] { io::parse_tree(whole.substr(0, i), fail); }), "DataLoss: ");
    std::string changed = whole;
    changed[i] = '\xff';
    const std::string error = error_of([&] { io::parse_tree(changed, fail); });
    EXPECT_TRUE(error == "no error" || contains(error, "DataLoss: ")) << error;
  }
}

}  // namespace
}  // namespace systolic
