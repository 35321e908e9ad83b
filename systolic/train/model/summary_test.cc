#include "systolic/train/model/summary.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/base/terminal.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/nn.h"

namespace systolic {
namespace {

TEST(Summary, ACellThatIsTooNarrowHasSeveralLines) {
  const Network network =
      Sequential({Input{.shape = {8}}, Dense{.units = 4, .name = "a_name_longer_than_the_column"},
                  Dense{.units = 2}},
                 {.name = "net"});
  EXPECT_EQ(summary_table(network, {}, {.width = 60}, {}),
            "Model: \"net\"\n"
            "┏━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━┓\n"
            "┃ Layer (type)           ┃ Output Shape      ┃     Param # ┃\n"
            "┡━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━┩\n"
            "│ a_name_longer_than_the │ (None, 4)         │          36 │\n"
            "│ _column (Dense)        │                   │             │\n"
            "├────────────────────────┼───────────────────┼─────────────┤\n"
            "│ dense (Dense)          │ (None, 2)         │          10 │\n"
            "└────────────────────────┴───────────────────┴─────────────┘\n"
            " Total params: 46 (184 B)\n"
            " Trainable params: 46 (184 B)\n"
            " Non-trainable params: 0 (0 B)\n");
}

TEST(Summary, ShowsAllConnectionsInATableOfTheWantedWidth) {
  const Symbol a = input({.shape = {8}, .name = "the_first_of_the_inputs"});
  const Symbol b = input({.shape = {8}, .name = "the_second_of_the_inputs"});
  const Network network({a, b}, {Concatenate{}({a, b, Add{}({a, b})})});
  for (const int width : {40, 60, 70, 88, 108}) {
    std::string connections;  // the text of the last column
    for (const std::string& line : split(summary_table(network, {}, {.width = width}, {}), '\n')) {
      if (!line.starts_with("│")) continue;
      EXPECT_EQ(columns_of(line), width) << line;
      const std::string row = line.substr(0, line.rfind("│"));
      connections += row.substr(row.rfind("│") + std::string("│").size());
    }
    std::erase(connections, ' ');
    EXPECT_CONTAINS(connections,
                    "the_first_of_the_inputs[0][0],the_second_of_the_inputs[0][0],add[0][0]");
  }
}

}  // namespace
}  // namespace systolic
