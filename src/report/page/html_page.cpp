#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/contract.hpp>

#include "report/page/base64.hpp"
#include "report/page/gzip.hpp"
#include "report/page/viewer_page.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

void write_html_page(std::string_view json, const std::function<void(std::string_view)>& sink) {
  constexpr std::string_view placeholder = "<!--DATA-->";
  const std::string_view page = viewer_page();
  const std::size_t at = page.find(placeholder);
  PLIMSOLL_ENSURE(at != std::string_view::npos);
  sink(page.substr(0, at));
  // The browser does not execute a script of this type. Base64 has no character that could end the element.
  sink(R"(<script type="application/octet-stream" id="report-data">)");
  sink(base64(gzip(json)));
  sink("</script>");
  sink(page.substr(at + placeholder.size()));
}

}  // namespace plimsoll::report
