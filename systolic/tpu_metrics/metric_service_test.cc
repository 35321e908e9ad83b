// The messages of libtpu's metric service, written field by field.
#include "systolic/tpu_metrics/metric_service.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/tpu_metrics/metric_reader.h"
#include "systolic/tpu_metrics/test_metric_service.h"

namespace systolic {
namespace {

using protobuf::Message;
using tpu_metrics::read_metric_response;

TEST(MetricService, AsksByName) {
  EXPECT_EQ(tpu_metrics::metric_request("abc"),
            "\x0a\x03"
            "abc");
}

TEST(MetricService, ReadsNumbersWithTheirDevices) {
  const auto metrics = read_metric_response(
      test_metrics::response("tpu.runtime.tensorcore.dutycycle.percent",
                             {test_metrics::metric(3, Message().real(1, 87.5)),
                              test_metrics::metric("5", Message().integer(2, -2)),
                              Message().message(3, Message().real(1, 1.5))}));
  ASSERT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics[0].name.view(), "tpu.runtime.tensorcore.dutycycle.percent");
  EXPECT_EQ(metrics[0].device, 3);
  EXPECT_EQ(metrics[0].value, 87.5);
  EXPECT_EQ(metrics[1].device, 5);
  EXPECT_EQ(metrics[1].value, -2);
  EXPECT_EQ(metrics[2].device, 2);  // names none: counted
  EXPECT_EQ(metrics[2].value, 1.5);
}

TEST(MetricService, LeavesOutWhatIsNoNumber) {
  const Message text = Message().bytes(3, "idle");
  EXPECT_TRUE(
      read_metric_response(test_metrics::response("m", {test_metrics::metric(0, text)})).empty());
  EXPECT_TRUE(read_metric_response("").empty());
}

TEST(MetricService, TakesNoMoreThanAskedFor) {
  const std::vector<Message> many(100, test_metrics::metric(0, Message().integer(2, 1)));
  EXPECT_EQ(read_metric_response(test_metrics::response("m", many), 7).size(), 7u);
}

// Each beginning of a message, and each byte of it turned, is read or refused.
TEST(MetricService, RefusesWhatIsNoMessage) {
  const std::string whole =
      test_metrics::response("m", {test_metrics::metric(3, Message().real(1, 87.5))});
  size_t refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string turned = whole;
    turned[i] = static_cast<char>(~turned[i]);
    for (const std::string& bytes : {whole.substr(0, i), turned}) {
      try {
        read_metric_response(bytes);
      } catch (const InvalidArgument&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(MetricPorts, AreTheEnvironmentsOrTheUsualOne) {
  ::unsetenv("TPU_RUNTIME_METRICS_PORTS");
  EXPECT_EQ(tpu_metrics::metric_ports(), std::vector<int>{8431});
  ::setenv("TPU_RUNTIME_METRICS_PORTS", "8431,8432", 1);
  EXPECT_EQ(tpu_metrics::metric_ports(), (std::vector<int>{8431, 8432}));
  for (const char* text : {"0", "65536", "a", "8431,", "8431;8432"}) {
    ::setenv("TPU_RUNTIME_METRICS_PORTS", text, 1);
    EXPECT_THROW(tpu_metrics::metric_ports(), InvalidArgument) << text;
  }
  ::unsetenv("TPU_RUNTIME_METRICS_PORTS");
}

}  // namespace
}  // namespace systolic
