#include "report/serving/http_server.hpp"

#include <httplib.h>

#include <algorithm>
#include <chrono>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

constexpr std::size_t n_threads = 64;

class HttplibServer : public HttpServer {
 public:
  HttplibServer() {
    // By default, httplib lets several servers listen on one port, and waits long for slow clients.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_read_timeout(std::chrono::seconds(1));
    server_.new_task_queue = [] { return new httplib::ThreadPool(n_threads); };
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"}});
  }

  void answer(const std::string& path, HttpHandler handler) override {
    server_.Get(path,
                [handler = std::move(handler)](const httplib::Request& request, httplib::Response& response) {
                  const HttpAnswer answer = handler(request.get_param_value("version"));
                  response.status = answer.status;
                  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
                  if (!answer.type.empty()) response.set_content(answer.content, answer.type);
                });
  }

  int listen(const std::string& host, int port) override {
    if (port == 0) return std::max(0, server_.bind_to_any_port(host));
    return server_.bind_to_port(host, port) ? port : 0;
  }

  void run() override { server_.listen_after_bind(); }
  void stop() override { server_.stop(); }

 private:
  httplib::Server server_;
};

}  // namespace

}  // namespace plimsoll::report

extern "C" [[gnu::visibility("default")]] plimsoll::report::HttpServer* plimsoll_new_http_server() {
  return new plimsoll::report::HttplibServer;
}

extern "C" [[gnu::visibility("default")]] const char* plimsoll_http_version() {
  return CPPHTTPLIB_VERSION;
}
