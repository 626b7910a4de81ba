#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

// HTTP for PageServer. Its implementation is a library of its own (plimsoll-http-server.so), which is loaded
// when the first server starts: cpp-httplib loads OpenSSL, for which no other subcommand should wait.

namespace plimsoll::PLIMSOLL_ABI::report {

/// Answer to a request.
struct HttpAnswer {
  int status = 200;
  std::string content;
  std::string type;  ///< of the content, such as "text/html; charset=utf-8"
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Returns the answer to a GET request, given the value of its parameter `version`. It must not throw.
using HttpHandler = std::function<HttpAnswer(const std::string& version)>;

/// HTTP server without encryption. Clients that send nothing occupy one of its threads for a second.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  /// Answers GET requests for a path. Handlers may run at the same time.
  virtual void answer(const std::string& path, HttpHandler handler) = 0;
  /// Listens on a port, 0 for any free one, and returns it; returns 0 if the address cannot be used.
  virtual int listen(const std::string& host, int port) = 0;
  /// Serves until stop() is called, from any thread.
  virtual void run() = 0;
  virtual void stop() = 0;
};

/// Type and name of the function that makes a server.
using NewHttpServer = HttpServer*();
inline constexpr const char* new_http_server_name = "plimsoll_new_http_server";
/// Type and name of the function that returns the version of cpp-httplib.
using HttpVersion = const char*();
inline constexpr const char* http_version_name = "plimsoll_http_version";

}  // namespace plimsoll::report
