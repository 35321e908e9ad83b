// The reader against gRPC's own server.
#include "systolic/tpu_metrics/metric_reader.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "systolic/tpu_metrics/metric_service.h"
#include "systolic/tpu_metrics/test_metric_service.h"

namespace systolic {
namespace {

using tpu_metrics::MetricReader;

// A call: the request is read, then answered.
class Call final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Call(std::string method) : method_(std::move(method)) { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok || method_ != tpu_metrics::method_path) return Finish(unknown());
    grpc::Slice slice;
    if (!request_.DumpToSingleSlice(&slice).ok()) return Finish(unknown());
    const std::string request(reinterpret_cast<const char*>(slice.begin()), slice.size());
    const std::string duty = "tpu.runtime.tensorcore.dutycycle.percent";
    const std::string used = "tpu.runtime.hbm.memory.usage.bytes";
    std::string answer;
    if (request == tpu_metrics::metric_request(duty)) {
      answer = test_metrics::response(
          duty, {test_metrics::metric(0, test_metrics::Message().real(1, 93.25)),
                 test_metrics::metric(1, test_metrics::Message().real(1, 7.5))});
    } else if (request == tpu_metrics::metric_request(used)) {
      answer = test_metrics::response(
          used, {test_metrics::metric("0", test_metrics::Message().integer(2, int64_t{3} << 30))});
    } else {
      return Finish(unknown());
    }
    const grpc::Slice whole(answer);
    answer_ = grpc::ByteBuffer(&whole, 1);
    StartWriteAndFinish(&answer_, {}, grpc::Status::OK);
  }
  void OnDone() override { delete this; }

 private:
  static grpc::Status unknown() { return {grpc::StatusCode::NOT_FOUND, "no such metric"}; }

  const std::string method_;
  grpc::ByteBuffer request_, answer_;
};

class MetricService final : public grpc::CallbackGenericService {
 public:
  MetricService() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~MetricService() override { stop(); }
  void stop() {
    if (server_ != nullptr) server_->Shutdown();
    server_.reset();
  }
  int port() const { return port_; }

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Call(context->method());
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST(MetricReader, ReadsWhatTheServiceHas) {
  const MetricService service;
  MetricReader reader({service.port()});
  for (int reading = 0; reading < 2; ++reading) {
    const auto metrics = reader.read();
    ASSERT_EQ(metrics.size(), 3u);
    EXPECT_EQ(metrics[0].name.view(), "tpu.runtime.tensorcore.dutycycle.percent");
    EXPECT_EQ(metrics[0].value, 93.25);
    EXPECT_EQ(metrics[1].device, 1);
    EXPECT_EQ(metrics[1].value, 7.5);
    EXPECT_EQ(metrics[2].name.view(), "tpu.runtime.hbm.memory.usage.bytes");
    EXPECT_EQ(metrics[2].value, 3221225472.0);
  }
}

TEST(MetricReader, HasNothingWhereNobodyAnswers) {
  MetricService service;
  MetricReader reader({service.port()}, 0);
  service.stop();
  EXPECT_TRUE(reader.read().empty());
  EXPECT_TRUE(reader.read().empty());
}

}  // namespace
}  // namespace systolic
