#include "systolic/remote/serve.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <mutex>

#include "remote.grpc.pb.h"
#include "systolic/remote/server/session.h"

namespace systolic::inline v0 {
namespace remote {
namespace {

class Service final : public wire::RemoteDevice::Service {
 public:
  Service(runtime::ClientPtr client, SessionOptions options)
      : client_(std::move(client)), options_(std::move(options)) {}

  grpc::Status Session(grpc::ServerContext* context,
                       grpc::ServerReaderWriter<wire::Event, wire::Command>* stream) override {
    remote::Session session(client_, programs_, options_,
                            [&](const wire::Event& event) { stream->Write(event); });
    wire::Command command;
    while (!context->IsCancelled() && stream->Read(&command)) {
      if (!session.handle(command)) break;
    }
    return grpc::Status::OK;
  }

 private:
  runtime::ClientPtr client_;
  SessionOptions options_;
  ProgramCache programs_;
};

bool is_loopback(const std::string& address) {
  for (const char* host : {"127.", "localhost:", "[::1]:", "unix:"}) {
    if (address.rfind(host, 0) == 0) return true;
  }
  return false;
}

void check_open(const ServeOptions& options) {
  if (options.certificate.empty() != options.key.empty()) {
    raise<InvalidArgument>({.what = "TLS needs both a certificate and its key"});
  }
  if (is_loopback(options.address)) return;
  if (options.token.empty() || options.certificate.empty()) {
    raise<PermissionDenied>({.what = str("others reach ", options.address),
                             .wanted = "a token, and a certificate with its key",
                             .hint = "--token-file, --certificate and --key; or 127.0.0.1"});
  }
}

class GrpcServer final : public Served {
 public:
  GrpcServer(runtime::ClientPtr client, const ServeOptions& options)
      : service_(std::move(client), {.token = options.token,
                                     .version = SYSTOLIC_VERSION,
                                     .most_bytes = options.most_bytes}) {
    check_open(options);
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!options.certificate.empty()) {
      grpc::SslServerCredentialsOptions tls;
      tls.pem_key_cert_pairs.push_back({options.key, options.certificate});
      credentials = grpc::SslServerCredentials(tls);
    }
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(most_message_bytes);
    builder.SetMaxSendMessageSize(most_message_bytes);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(options.address, credentials, &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      raise<Unavailable>({.what = str("cannot listen on ", options.address),
                          .hint = "another program has the port, or the certificate is no PEM"});
    }
  }
  ~GrpcServer() override { stop(); }

  int port() const override { return port_; }
  void wait() override { server_->Wait(); }
  void stop() override { server_->Shutdown(std::chrono::system_clock::now()); }

 private:
  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<Served> serve(runtime::ClientPtr client, const ServeOptions& options) {
  return std::make_unique<GrpcServer>(std::move(client), options);
}

}  // namespace remote
}  // namespace systolic::inline v0
