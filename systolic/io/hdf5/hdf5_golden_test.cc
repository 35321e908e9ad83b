// Files that h5py and Keras wrote: golden/make_hdf5.py says how.
#include <cmath>
#include <map>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::string golden(const std::string& name) {
  return test::source_path("systolic/io/hdf5/golden/" + name);
}

// The recipe's array(dtype, shape).
Literal recipe(DType dtype, const Shape& shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const auto value = static_cast<double>(3 * i % 7 - 2);
    values.push_back(dtype == DType::pred         ? value == 0
                     : is_unsigned_integer(dtype) ? std::abs(value)
                                                  : value);
  }
  return Literal::from(values, shape).convert(dtype);
}

class Hdf5Golden : public NeedsHdf5 {};

TEST_F(Hdf5Golden, AllTypesInBothForms) {
  for (const char* name : {"types.h5", "latest.h5"}) {
    const io::Hdf5File file = io::open_hdf5(golden(name));
    EXPECT_EQ(file.root().datasets.size(), 17u);
    for (const io::Hdf5Dataset& dataset : file.root().datasets) {
      EXPECT_EQ(file.read(dataset), recipe(dataset.dtype, dataset.shape)) << dataset.name;
      const bool named =
          dataset.shape != Shape{2, 3} || info(dataset.dtype).numpy_name == dataset.name;
      EXPECT_TRUE(named) << dataset.name << " is " << to_string(dataset.dtype);
    }
    EXPECT_EQ(file.read("empty").shape(), (Shape{0, 300}));
    EXPECT_EQ(file.read("scalar"), Literal::scalar<float>(-2));
    EXPECT_EQ(file.read("a/b/c"), recipe(DType::i32, {5}));
    EXPECT_CONTAINS(error_of([&] { file.read("a/b/d"); }), "has no dataset 'a/b/d'");
  }
}

TEST_F(Hdf5Golden, Attributes) {
  const io::Hdf5Group root = io::open_hdf5(golden("attributes.h5")).root();
  auto value = [&](std::string_view name) {
    const Literal* found = root.attribute(name);
    return found == nullptr ? Literal::scalar("nothing") : *found;
  };
  EXPECT_EQ(value("text"), Literal::scalar("k\xc3\xb6ln"));
  EXPECT_EQ(value("bytes"), Literal::scalar("bytes"));
  EXPECT_EQ(value("texts"), Literal::strings({"a", "", "ccc"}));
  EXPECT_EQ(value("fixed"), Literal::strings({"x", "yyy"}));
  EXPECT_EQ(value("table"), Literal::strings({"1", "2"}).reshape({1, 2}));
  EXPECT_EQ(value("empty"), Literal::zeros(DType::f64, {0}));
  EXPECT_EQ(value("nothing"), Literal::zeros(DType::f32, {0}));
  EXPECT_EQ(value("number"), Literal::scalar<int64_t>(7));
  EXPECT_EQ(value("numbers"), recipe(DType::f32, {2, 2}));
  EXPECT_EQ(value("flag"), Literal::scalar(true));
  EXPECT_EQ(value("reference"), Literal::scalar("nothing"));
  EXPECT_EQ(value("long"), Literal::scalar(std::string(66'000, 'x')));
  const std::vector<std::string> list = {"0", "end", "1", "end"};
  EXPECT_EQ(io::hdf5_strings(root, "list"), list);
  EXPECT_EQ(io::hdf5_strings(root, "lists"), std::nullopt);
  EXPECT_EQ(io::hdf5_strings(root, "empty"), std::vector<std::string>());
}

TEST_F(Hdf5Golden, WhatLiesInTheFileAsInNoArray) {
  const io::Hdf5File file = io::open_hdf5(golden("packed.h5"));
  EXPECT_EQ(file.root().datasets.size(), 11u);
  for (const io::Hdf5Dataset& dataset : file.root().datasets) {
    const Literal wanted = dataset.name == "unwritten" ? Literal::filled(DType::i32, {3, 2}, 5)
                                                       : recipe(dataset.dtype, dataset.shape);
    EXPECT_EQ(file.read(dataset), wanted) << dataset.name;
  }
}

TEST_F(Hdf5Golden, WhatIsRefused) {
  const io::Hdf5File file = io::open_hdf5(golden("refused.h5"));
  std::map<std::string, std::string> links;
  for (const io::Hdf5Link& link : file.root().links) links[link.name] = link.why;
  const std::map<std::string, std::string> wanted = {
      {"soft", "it is a soft link"},
      {"external", "it is a link to another file"},
      {"type", "it is neither a group nor a dataset"}};
  EXPECT_EQ(links, wanted);
  const std::map<std::string, std::pair<std::string, std::string>> errors = {
      {"virtual", {"Unimplemented", "its numbers are those of other datasets"}},
      {"elsewhere", {"Unimplemented", "its numbers lie in another file"}},
      {"lzf", {"Unimplemented", "filter 32000 (lzf); gzip, shuffle and fletcher32 are read"}},
      {"strings", {"Unimplemented", "it holds strings"}},
      {"records", {"Unimplemented", "it holds records of several fields"}},
      {"references", {"Unimplemented", "it holds references"}},
      {"untyped", {"Unimplemented", "it holds bytes without a type"}},
      {"lists", {"Unimplemented", "it holds lists of any length"}},
      {"bomb", {"ResourceExhausted", "4000000000000000000 bytes, of which 0 are stored"}},
      {"hollow", {"ResourceExhausted", "400000000000000000 bytes, of which 0 are stored"}},
      {"huge_chunks", {"Unimplemented", "it has chunks of more than 256 MB"}}};
  for (const io::Hdf5Dataset& dataset : file.root().datasets) {
    if (dataset.name == "good") continue;
    ASSERT_TRUE(errors.contains(dataset.name)) << dataset.name;
    const std::string error = error_of([&] { file.read(dataset); });
    const auto& [kind, says] = errors.at(dataset.name);
    expect_parts(error, {kind + ": '", "refused.h5': dataset '" + dataset.name, says});
  }
  EXPECT_EQ(file.read("good"), recipe(DType::f32, {2}));
}

TEST_F(Hdf5Golden, GroupsWithoutEnd) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"cycle.h5", "two links lead to the group 'back'"},
      {"deep.h5", "more than 200 groups in each other"}};
  for (const auto& [name, says] : cases) {
    expect_parts(error_of([&, file = name] { io::open_hdf5(golden(file)); }),
                 {"DataLoss: '", name, says});
  }
}

TEST_F(Hdf5Golden, WeightsThatKerasSaved) {
  const io::Hdf5File file = io::open_hdf5(golden("keras.weights.h5"));
  const io::Hdf5Group* vars = file.root().find_group("layers/dense/vars");
  ASSERT_NE(vars, nullptr);
  EXPECT_EQ(*vars->attribute("name"), Literal::scalar("dense"));
  EXPECT_EQ(file.read("layers/dense/vars/0"), recipe(DType::bf16, {3, 2}));
  EXPECT_EQ(file.read("layers/dense_1/vars/1"), recipe(DType::f32, {1}));

  const io::Hdf5File legacy = io::open_hdf5(golden("keras_legacy.h5"));
  const std::vector<std::string> layers = {"dense", "dense_1"};
  EXPECT_EQ(io::hdf5_strings(legacy.root(), "layer_names"), layers);
  EXPECT_EQ(legacy.read("dense/two_layers/dense/kernel"), recipe(DType::bf16, {3, 2}));
}

// In an archive, or in memory.
TEST_F(Hdf5Golden, PartsOfAFile) {
  const std::string whole = io::read_file(golden("packed.h5"));
  const TemporaryFolder folder;
  put_file(folder / "archive", "before" + whole + "after");
  const io::Hdf5File part = io::open_hdf5(folder / "archive", {.offset = 6, .bytes = whole.size()});
  const io::Hdf5File in_memory = io::open_hdf5_bytes(whole, nullptr, "in memory");
  for (const io::Hdf5File& file : {part, in_memory}) {
    EXPECT_EQ(file.read("gzip"), recipe(DType::f32, {50, 7}));
    EXPECT_EQ(file.read("growing"), recipe(DType::i64, {9}));
  }
  EXPECT_CONTAINS(error_of([&] { io::open_hdf5(folder / "archive", {.offset = 1 << 20}); }),
                  "InvalidArgument: ");
}

}  // namespace
}  // namespace systolic
