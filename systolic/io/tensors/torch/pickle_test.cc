// Pickles: values, and what is refused. The bytes are those that Python's pickle module writes
// (pickletools.dis shows them).
#include "systolic/io/tensors/torch/pickle.h"

#include "systolic/base/test_errors.h"
#include "systolic/io/tensors/torch/test_pickles.h"

namespace systolic {
namespace {

using Kind = io::PickleValue::Kind;
using namespace std::string_literals;

bool only_ordered_dict(std::string_view name) { return name == "collections.OrderedDict"; }

io::Pickle read(const std::string& bytes) {
  return io::Pickle(bytes, "data.pkl",
                    [](std::string_view name) { return only_ordered_dict(name); });
}

std::string error_in(const std::string& bytes) {
  return error_of([&] { read(bytes); });
}

TEST(Pickle, ReadsIntegers) {
  const std::pair<std::string, int64_t> table[] = {
      {"K\x07."s, 7},
      {"M\x01\x02."s, 513},
      {"J\xfe\xff\xff\xff."s, -2},
      {"\x8a\x00."s, 0},
      {"\x8a\x01\xff."s, -1},
      {"\x8a\x02\xff\x00."s, 255},
      {"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."s, INT64_MAX},
      {"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80."s, INT64_MIN},
      {"\x8b\x01\x00\x00\x00\x80."s, -128},
      {"\x88."s, 1},
      {"\x89."s, 0},
      {"N0K\x05."s, 5},
  };
  for (const auto& [bytes, wanted] : table) {
    const io::Pickle pickle = read(bytes);
    EXPECT_EQ(pickle.root().integer, wanted);
    EXPECT_EQ(pickle.size(), bytes.size());
  }
}

TEST(Pickle, ReadsTextsAndFloats) {
  for (const std::string& bytes :
       {"X\x03\0\0\0abc."s, "U\x03"s + "abc.", "T\x03\0\0\0abc."s, "\x8c\x03"s + "abc.",
        "\x8d\x03\0\0\0\0\0\0\0abc."s, "B\x03\0\0\0abc."s, "C\x03"s + "abc.",
        "\x8e\x03\0\0\0\0\0\0\0abc."s}) {
    const io::Pickle pickle = read(bytes);
    EXPECT_EQ(pickle.root().text, "abc");
  }
  EXPECT_EQ(read("G\x3f\xf8\0\0\0\0\0\0."s).root().number, 1.5);
  EXPECT_TRUE(read("N.").root().is(Kind::none));
  const std::string magic = "\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  EXPECT_EQ(read(magic).root().text.size(), 10u);
}

TEST(Pickle, ReadsContainers) {
  // pickle.dumps({"a": (1, 2), "b": [3, None]}, 2) and the same of protocol 4
  for (const std::string& bytes :
       {"\x80\x02}q\x00(X\x01\0\0\0aq\x01K\x01K\x02\x86q\x02X\x01\0\0\0bq\x03]q\x04(K\x03Neu."s,
        "\x80\x04\x95\x17\0\0\0\0\0\0\0}\x94(\x8c\x01"s + "a\x94K\x01K\x02\x86\x94\x8c\x01" +
            "b\x94]\x94(K\x03Neu."}) {
    const io::Pickle pickle = read(bytes);
    ASSERT_EQ(pickle.root().items.size(), 4u);
    const io::PickleValue* a = pickle.root().find("a");
    const io::PickleValue* b = pickle.root().find("b");
    ASSERT_TRUE(a && b && a->is(Kind::tuple) && b->is(Kind::list));
    EXPECT_EQ(a->items[1]->integer, 2);
    EXPECT_EQ(b->items[0]->integer, 3);
    EXPECT_EQ(pickle.root().find("c"), nullptr);
  }
  const std::string bytes = "}X\x01\0\0\0aK\x01sX\x01\0\0\0aK\x02s."s;
  const io::Pickle twice = read(bytes);
  EXPECT_EQ(twice.root().find("a")->integer, 2);  // the last counts
}

TEST(Pickle, KeepsCallsAsNames) {
  const std::string bytes =
      pickles::whole(pickles::empty_ordered_dict + pickles::text("k") + "K\x01s" +
                     pickles::dictionary({{"_metadata", "N"}}) + "b");
  const io::Pickle pickle = read(bytes);
  EXPECT_TRUE(pickle.root().is_call("collections.OrderedDict"));
  EXPECT_EQ(pickle.root().find("k")->integer, 1);
  EXPECT_TRUE(pickle.root().arguments->items.empty());
}

TEST(Pickle, RefusesPrograms) {
  using pickles::global;
  using pickles::text;
  const std::string command = "(" + text("touch /tmp/x") + "t";
  struct Case {
    std::string bytes;
    const char* wanted;
  };
  const Case table[] = {
      {global("os", "system") + command + "R.", "asks for os.system, which is not run"},
      {global("posix", "system") + command + "R.", "posix.system"},
      {global("builtins", "eval") + command + "R.", "builtins.eval"},
      {global("__builtin__", "exec") + command + "R.", "__builtin__.exec"},
      {global("subprocess", "Popen") + command + "\x81.", "subprocess.Popen"},
      {global("collections", "OrderedDict.fromkeys") + command + "R.",
       "collections.OrderedDict.fromkeys"},
      {global("collections.OrderedDict", "") + ".", "collections.OrderedDict.,"},
      {global("numpy.core.multiarray", "_reconstruct") + ".", "numpy.core.multiarray._reconstruct"},
      {"\x8c\x02os\x8c\x06system\x93" + command + "R.", "os.system"},
      {text("os") + "q\x01"s + "0h\x01"s + text("system") + "\x93.", "os.system"},
      {"K\x01K\x02\x93.", "a name of no text"},
      {"(" + text("touch /tmp/x") + "ios\nsystem\n.", "an instance of os.system"},
      {"(ios\nsystem\n.", "an instance of os.system"},
      {"(icollections\nOrderedDict\n.", "an instance of collections.OrderedDict"},
      {"(" + global("collections", "OrderedDict") + "o.", "opcode 0x6f"},
      {"}" + pickles::dictionary({{"__reduce__", "N"}}) + "b.", "a state for a dict"},
      {"K\x01}b.", "a state for a integer"},
      {pickles::empty_ordered_dict + "Nb.", "a state for a collections.OrderedDict"},
      {text("os.system") + command + "R.", "a call of a text"},
      {global("collections", "OrderedDict") + "NR.", "a call without arguments"},
      {"\x82\x07.", "registered as number 7"},
      {"\x83\x07\x01.", "registered as number 263"},
      {"\x84\x07\x00\x00\x01."s, "registered as number 16777223"},
      {global("collections", "OrderedDict") + ")}\x92.", "opcode 0x92"},
      {"\x96\x00\x00\x00\x00\x00\x00\x00\x00."s, "opcode 0x96"},
      {"\x97.", "opcode 0x97"},
      {"\x80\x06N.", "a protocol above 5"},
      {"S'a'\n.", "opcode 0x53"},
      {"I1\n.", "opcode 0x49"},
      {"Pid\n.", "opcode 0x50"},
      {"\xff.", "opcode 0xff"},
      {global("o\x1b[31ms", "\xff") + ".", "o?[31ms.?"},
  };
  for (const Case& row : table) EXPECT_CONTAINS(error_in(row.bytes), row.wanted);
}

TEST(Pickle, DamageIsNamed) {
  struct Case {
    std::string bytes;
    const char* wanted;
  };
  const Case table[] = {
      {"", "ends in the middle"},
      {".", "the stack is empty"},
      {"N", "ends in the middle"},
      {"NN.", "values are left"},
      {"(N.", "values are left"},
      {"t.", "a mark is missing"},
      {"N(0.", "the stack is empty"},  // what lies below a mark is out of reach
      {"(a.", "the stack is empty"},
      {"NNa.", "an item put into a None"},
      {"NNNs.", "a key put into a None"},
      {"}(Nu.", "a key without a value"},
      {"(Nd.", "a key without a value"},
      {"h\x05.", "a value that was never remembered"},
      {"j\xff\xff\xff\xff.", "a value that was never remembered"},
      {"q\x00."s, "the stack is empty"},
      {"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.", "ends in the middle"},
      {"\x8d\x00\x00\x00\x00\x00\x00\x00\x80."s, "ends in the middle"},
      {"\x8b\xff\xff\xff\xff.", "ends in the middle"},
      {"X\xff\xff\xff\xff.", "ends in the middle"},
      {"cos", "a name without end"},
      {"cos\n", "a name without end"},
      {"c" + std::string(2000, 'a') + "\n\n.", "a name without end"},
      {"NQ0N", "ends in the middle"},
  };
  for (const Case& row : table) EXPECT_CONTAINS(error_in(row.bytes), row.wanted);
}

TEST(Pickle, LargeAndDeepOnesEndWell) {
  constexpr size_t many = 1'000'000;
  EXPECT_EQ(error_in(std::string(many, ']') + std::string(many - 1, 'a') + "."), "no error");
  EXPECT_EQ(error_in("N" + std::string(many, '\x85') + "."), "no error");
  EXPECT_EQ(error_in("Nr\xff\xff\xff\xff."), "no error");  // no memo of 4 billion entries
  EXPECT_EQ(error_in("]q\x00h\x00"s + "a."), "no error");  // it contains itself
  EXPECT_CONTAINS(error_in(std::string(many, '(') + "."), "the stack is empty");
  EXPECT_CONTAINS(error_in(std::string(4 * many + 1, 'N') + "."),
                  "ResourceExhausted: pickle 'data.pkl' has more than 4000000 values");
  EXPECT_CONTAINS(error_in("(N" + std::string(size_t{40} << 20, '2') + "t."),
                  "more than 33554432 bytes");
  EXPECT_CONTAINS(error_in("N" + std::string(4 * many + 1, '\x94') + "."),
                  "more than 4000000 remembered values");
}

}  // namespace
}  // namespace systolic
