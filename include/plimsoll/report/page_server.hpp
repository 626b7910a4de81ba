#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Document for the viewer, and a number that changes with it.
struct VersionedDocument {
  std::uint64_t version = 0;
  std::string json;  ///< as for write_html_page()
};

/// Address on which a PageServer listens.
struct ServerAddress {
  std::string host = "127.0.0.1";  ///< only this machine can connect
  int port = 0;                    ///< 0: any free port
};

/// Returns whether other machines can connect: to all addresses except localhost, 127.x.x.x and ::1.
bool admits_other_machines(const ServerAddress& address);

/// Returns the host for the URL of a server: the name of this machine if the server listens on all addresses
/// of it (0.0.0.0 or ::), otherwise the host itself, with brackets around IPv6 addresses.
std::string host_in_url(const ServerAddress& address);

/// Web server for the viewer and one document, which the page loads again whenever it changes. The server
/// answers only GET requests whose path begins with a secret of 128 random bits, which url() contains. It
/// reads no files: the page and the document are all that it can send.
class PageServer {
 public:
  /// Returns the newest document. Calls do not overlap. If it throws, the page shows the message and asks
  /// again.
  using Newest = std::function<std::shared_ptr<const VersionedDocument>()>;

  /// Starts to listen. Throws Error (system) if the address cannot be used, or if Plimsoll was built without
  /// cpp-httplib.
  PageServer(const ServerAddress& address, Newest newest);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  /// Returns the address of the page.
  const std::string& url() const;
  /// Serves until stop() is called.
  void run();
  /// Ends run(); may be called from any thread.
  void stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace plimsoll::report
