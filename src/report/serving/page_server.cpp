#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <utility>

#include <plimsoll/report/internal/used_libraries.hpp>
#include <plimsoll/report/page_server.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/page_bytes.hpp"
#include "report/serving/http_server.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

std::string random_secret() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorKind::system, {.what = "the system returns no random numbers"});
  std::string secret;
  for (const unsigned char byte : bytes) secret += fmt::format("{:02x}", byte);
  return secret;
}

void replace_once(std::string& text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  PLIMSOLL_ENSURE(at != std::string::npos);
  text.replace(at, before.size(), after);
}

/// Returns the viewer, which loads its data from this server.
std::string served_page() {
  std::string page(viewer_page());
  replace_once(page, "<!--DATA-->",
               R"(<script type="application/octet-stream" id="report-source"></script>)");
  replace_once(page, "default-src 'none';", "default-src 'none'; connect-src 'self';");
  return page;
}

/// The library of the server, which is loaded when it is first used. Throws Error (system) if that fails.
struct ServerLibrary {
  static constexpr const char* name = "plimsoll-http-server.so";
  support::LoadedLibrary library{support::find_own_library(name, {"report"}).value_or(name),
                                 support::SymbolChoice::of_program};
  NewHttpServer* new_server = library.function(new_http_server_name);
  HttpVersion* version = library.function(http_version_name);

  ServerLibrary() {
    library.expect_usable("the web server of Plimsoll", "install cpp-httplib and build Plimsoll again");
  }
};

const ServerLibrary& server_library() {
  static const ServerLibrary loaded;
  return loaded;
}

std::string message_of(const Error& error) {
  std::string text;
  support::JsonWriter(text).begin_object().member("message", to_string(error.diagnostic())).end_object();
  return text;
}

}  // namespace

class PageServer::Server {
 public:
  Server(const ServerAddress& address, Newest newest)
      : newest_(std::move(newest)), page_(served_page()), server_(server_library().new_server()) {
    const std::string root = "/" + random_secret() + "/";
    server_->answer(root, [this](const std::string&) {
      return HttpAnswer{.content = page_, .type = "text/html; charset=utf-8"};
    });
    server_->answer(root + "data.json", [this](const std::string& version) { return document(version); });
    const int port = server_->listen(address.host, address.port);
    if (port == 0)
      throw Error(ErrorKind::system,
                  {.what = fmt::format("cannot listen on {}:{}", address.host, address.port),
                   .suggestion = "use another --port, or an address of this machine"});
    url_ = fmt::format("http://{}:{}{}", host_in_url(address), port, root);
  }

  const std::string& url() const { return url_; }
  void run() { server_->run(); }
  void stop() { server_->stop(); }

 private:
  /// Returns the document, or status 204 if the page has it already, or 503 and a message.
  HttpAnswer document(const std::string& version_of_page) {
    const std::lock_guard lock(mutex_);
    try {
      const std::shared_ptr<const VersionedDocument> document = newest_();
      const std::string version = std::to_string(document->version);
      if (version_of_page == version) return {.status = 204};
      if (compressed_.empty() || compressed_version_ != document->version) {
        compressed_ = gzip(document->json);
        compressed_version_ = document->version;
      }
      // The page decompresses it: httplib would compress each response again.
      return {
          .content = compressed_, .type = "application/octet-stream", .headers = {{"X-Version", version}}};
    } catch (...) {
      return {.status = 503, .content = message_of(support::current_error()), .type = "application/json"};
    }
  }

  Newest newest_;
  std::string page_;
  std::string url_;
  std::mutex mutex_;
  std::string compressed_;
  std::uint64_t compressed_version_ = 0;
  std::unique_ptr<HttpServer> server_;
};

support::UsedLibrary web_server_library() {
  constexpr const char* name = "web server";
#ifdef PLIMSOLL_WITH_HTTPLIB
  return support::try_library(name, [](support::UsedLibrary& library) {
    library.version = fmt::format("cpp-httplib {}", server_library().version());
  });
#else
  return {.name = name, .is_built_in = false};
#endif
}

PageServer::PageServer(const ServerAddress& address, Newest newest)
    : server_(std::make_unique<Server>(address, std::move(newest))) {}
PageServer::~PageServer() = default;
const std::string& PageServer::url() const {
  return server_->url();
}
void PageServer::run() {
  server_->run();
}
void PageServer::stop() {
  server_->stop();
}

namespace {

bool is_loopback(const std::string& host) {
  in6_addr ipv6{};
  if (inet_pton(AF_INET6, host.c_str(), &ipv6) == 1) return IN6_IS_ADDR_LOOPBACK(&ipv6);
  in_addr ipv4{};
  if (inet_pton(AF_INET, host.c_str(), &ipv4) == 1) return ntohl(ipv4.s_addr) >> 24 == 127;
  return host == "localhost";
}

/// Returns whether the host stands for all addresses of this machine.
bool is_wildcard(const std::string& host) {
  in6_addr ipv6{};
  if (inet_pton(AF_INET6, host.c_str(), &ipv6) == 1) return IN6_IS_ADDR_UNSPECIFIED(&ipv6);
  in_addr ipv4{};
  return inet_pton(AF_INET, host.c_str(), &ipv4) == 1 && ipv4.s_addr == INADDR_ANY;
}

std::string name_of_this_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace

bool admits_other_machines(const ServerAddress& address) {
  return !is_loopback(address.host);
}

std::string host_in_url(const ServerAddress& address) {
  if (is_wildcard(address.host)) return name_of_this_machine();
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return is_ipv6 ? "[" + address.host + "]" : address.host;
}

}  // namespace plimsoll::report
