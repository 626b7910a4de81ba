#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>

#include <plimsoll/report/page_server.hpp>
#include <plimsoll/support/error.hpp>

#ifdef PLIMSOLL_WITH_HTTPLIB
#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <chrono>
#include <mutex>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "report/page/page_bytes.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

/// Threads that serve connections. Clients that send nothing occupy one for a second.
constexpr std::size_t n_threads = 64;

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

std::string message_of(const Error& error) {
  std::string text;
  support::JsonWriter(text).begin_object().member("message", to_string(error.diagnostic())).end_object();
  return text;
}

}  // namespace

class PageServer::Server {
 public:
  Server(const ServerAddress& address, Newest newest)
      : newest_(std::move(newest)), page_(served_page()), secret_(random_secret()) {
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
    server_.Get("/" + secret_ + "/", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(page_, "text/html; charset=utf-8");
    });
    server_.Get("/" + secret_ + "/data.json",
                [this](const httplib::Request& request, httplib::Response& response) {
                  send_document(request, response);
                });
    const bool listens = address.port == 0 ? (port_ = server_.bind_to_any_port(address.host)) > 0
                                           : server_.bind_to_port(address.host, port_ = address.port);
    if (!listens)
      throw Error(ErrorKind::system,
                  {.what = fmt::format("cannot listen on {}:{}", address.host, address.port),
                   .suggestion = "use another --port, or an address of this machine"});
    url_ = fmt::format("http://{}:{}/{}/", host_in_url(address), port_, secret_);
  }

  const std::string& url() const { return url_; }
  void run() { server_.listen_after_bind(); }
  void stop() { server_.stop(); }

 private:
  /// Sends the document, or status 204 if the page has it already, or 503 and a message.
  void send_document(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    try {
      const std::shared_ptr<const VersionedDocument> document = newest_();
      if (request.get_param_value("version") == std::to_string(document->version)) {
        response.status = 204;
        return;
      }
      if (compressed_.empty() || compressed_version_ != document->version) {
        compressed_ = gzip(document->json);
        compressed_version_ = document->version;
      }
      response.set_header("X-Version", std::to_string(document->version));
      // The page decompresses it: httplib would compress each response again.
      response.set_content(compressed_, "application/octet-stream");
    } catch (...) {
      response.status = 503;
      response.set_content(message_of(support::current_error()), "application/json");
    }
  }

  Newest newest_;
  std::string page_;
  std::string secret_;
  std::string url_;
  int port_ = 0;
  std::mutex mutex_;
  std::string compressed_;
  std::uint64_t compressed_version_ = 0;
  httplib::Server server_;
};

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

}  // namespace plimsoll::report

#else

namespace plimsoll::PLIMSOLL_ABI::report {

class PageServer::Server {
 public:
  std::string url;
};

PageServer::PageServer(const ServerAddress&, Newest) {
  throw Error(ErrorKind::system, {.what = "this build of Plimsoll contains no server",
                                  .suggestion = "install cpp-httplib and build Plimsoll again"});
}
PageServer::~PageServer() = default;
const std::string& PageServer::url() const {
  return server_->url;
}
void PageServer::run() {}
void PageServer::stop() {}

}  // namespace plimsoll::report

#endif

namespace plimsoll::PLIMSOLL_ABI::report {

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
