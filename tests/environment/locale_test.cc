// What the library reads and prints is the same where the program that uses it has set a locale
// with a decimal comma, or with Turkish letters.
#include <gtest/gtest.h>

#include <cctype>
#include <clocale>
#include <cstdlib>
#include <locale>
#include <sstream>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

// 1.234,5; and as Turkish is in its own encoding, the small letter of I is not i.
constexpr const char* definition = R"(comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
LC_CTYPE
upper <U0041>;<U0049>
lower <U0061>;<U006A>
tolower (<U0049>,<U006A>);(<U0041>,<U0061>)
toupper (<U006A>,<U0049>);(<U0061>,<U0041>)
digit <U0030>;<U0031>;<U0032>;<U0033>;<U0034>;<U0035>;<U0036>;<U0037>;<U0038>;<U0039>
END LC_CTYPE
)";

class Comma : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// C's and C++'s global locale for as long as it lives.
class OtherLocale {
 public:
  explicit OtherLocale(const TemporaryFolder& folder)
      : before_(std::locale::global(std::locale(std::locale::classic(), new Comma))) {
    put_file(folder / "definition", definition);
    // It warns of the categories that are left out, and says so with its exit code.
    const std::string command =
        str("localedef -c -i '", folder / "definition", "' '", folder / "xx_XX", "' 2>/dev/null");
    static_cast<void>(std::system(command.c_str()));
    ::setenv("LOCPATH", (folder / "").c_str(), 1);
    set_ = std::setlocale(LC_NUMERIC, "xx_XX") != nullptr &&
           std::setlocale(LC_CTYPE, "xx_XX") != nullptr;
  }
  ~OtherLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
  OtherLocale(const OtherLocale&) = delete;
  OtherLocale& operator=(const OtherLocale&) = delete;
  bool is_set() const { return set_; }

 private:
  std::locale before_;
  bool set_ = false;
};

std::string texts() {
  double number = 0;
  int64_t integer = 0;
  EXPECT_TRUE(parse_number("1234.5", number));
  EXPECT_FALSE(parse_number("1234,5", number));
  EXPECT_TRUE(parse_number("1234567", integer));
  std::ostringstream out;
  out << Tensor(Literal::of<float>({1234.5f, -0.25f})) << to_string(Shape{1234567, 2});
  return str(number, " ", integer, " ", 1234567, " ", 0.5f, " ", fixed(2.5, 3), " ",
             with_commas(1234567), " ", bytes_text(1536), " ", out.str());
}

std::string program() {
  const stablehlo::Program read = stablehlo::parse(
      R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
           %c = stablehlo.constant dense<[1234.5, 2.5e-7]> : tensor<2xf32>
           %y = stablehlo.add %x, %c : tensor<2xf32>
           return %y : tensor<2xf32>
         })");
  return program_text(read) + program_text(read, {.pretty = true});
}

std::string tables(const TemporaryFolder& folder) {
  put_file(folder / "rows.csv", "n,x,s\n1234567,1234.5,a\n-3,2.5e-7,b\n");
  put_file(folder / "rows.jsonl", "{\"x\": 1234.5}\n{\"x\": 2.5e-7}\n");
  std::string all;
  for (const Example& row :
       data::csv({folder / "rows.csv"},
                 {{"n", DType::i64}, {"x", DType::f64}, {"s", DType::string}}, {.header = true}))
    all += str(row["n"], row["x"]);
  const auto table =
      datasets::load_dataset("csv", {.data_files = {{"train", folder / "rows.csv"}}})["train"];
  const auto lines =
      datasets::load_dataset("json", {.data_files = {{"train", folder / "rows.jsonl"}}})["train"];
  return str(all, table["n"].array(), table["x"].array(), lines["x"].array());
}

// Names of layers, what fit and summary print, and what files of weights and pipelines hold.
std::string training(const TemporaryFolder& folder) {
  set_seed(1);
  Model model = Sequential({Input{.shape = {3}}, Dense{.units = 4, .activation = "relu"},
                            BatchNormalization{}, Dense{.units = 2}});
  model.compile({.optimizer = Adam{.learning_rate = 2.5e-3},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true}});
  const auto batches = data::from_tensor_slices({{"x", Literal::filled(DType::f32, {16, 3}, 0.25)},
                                                 {"y", Literal::zeros(DType::i32, {16})}})
                           .batch(8);
  const History history = model.fit(batches, {.epochs = 1, .verbose = 0});
  model.save_weights(folder / "weights.safetensors");
  batches.save(folder / "saved");
  return str(model.summary_text(), join(history.step_losses),
             io::read_file(folder / "weights.safetensors"),
             to_string(data::load(folder / "saved").element_spec()));
}

std::string everything() {
  const TemporaryFolder folder;
  return str(texts(), "\n", program(), "\n", tables(folder), "\n", training(folder));
}

TEST(Locale, OfTheProgramChangesNothing) {
  const TemporaryFolder folder;
  const std::string wanted = everything();
  const OtherLocale other(folder);
  std::ostringstream out;
  out << 1234.5;
  EXPECT_EQ(out.str(), "1.234,5");
  if (other.is_set()) {
    EXPECT_STREQ(std::localeconv()->decimal_point, ",");
    EXPECT_EQ(std::tolower('I'), 'j');
  }
  EXPECT_EQ(everything(), wanted);
  if (!other.is_set()) GTEST_SKIP() << "localedef is not here: C++'s locale alone was changed";
}

}  // namespace
}  // namespace systolic
