// The names that programs' files give, and what they say of themselves that is not true.
#include "systolic/monitor/crash/symbol_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace systolic {
namespace {

// Files of programs, whatever is in them.
TEST(SymbolTable, ProgramsThatLieHaveNoNames) {
  std::string folder = (std::filesystem::temp_directory_path() / "systolic-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ifstream own("/proc/self/exe", std::ios::binary);
  std::string head(1 << 16, '\0');
  own.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::string path = folder + "/program";
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = head.substr(0, random() % head.size());
    for (int i = 0; i < 20 && !damaged.empty(); ++i) {
      damaged[random() % std::min<size_t>(damaged.size(), 1024)] = static_cast<char>(random());
    }
    std::ofstream(path, std::ios::binary) << damaged;
    monitor::SymbolTable(path).name_at(random());
  }
  EXPECT_EQ(monitor::SymbolTable(folder).name_at(7), "");
  EXPECT_EQ(monitor::SymbolTable(folder + "/none").build_id(), "");
  std::filesystem::remove_all(folder);
}

TEST(FunctionNames, AreShort) {
  using monitor::short_function_name;
  EXPECT_EQ(short_function_name("systolic::v0::Model::fit(systolic::v0::data::Dataset const&)"),
            "systolic::Model::fit");
  EXPECT_EQ(short_function_name("void systolic::v0::(anonymous namespace)::run<int, "
                                "std::vector<int>>(int)::{lambda(int)#1}::operator()(int) const"),
            "systolic::run::{lambda#1}::operator()");
  EXPECT_EQ(short_function_name("std::ostream& std::operator<< <char>(std::ostream&, char)"),
            "std::operator<<");
  EXPECT_EQ(
      short_function_name("std::vector<int>::operator=(std::vector<int> const&) [clone .cold]"),
      "std::vector::operator=");
  EXPECT_EQ(short_function_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(short_function_name("main"), "main");
}

}  // namespace
}  // namespace systolic
