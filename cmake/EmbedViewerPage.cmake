# cmake -D PAGE=report.html -D SOURCE=viewer_page.cpp -P EmbedViewerPage.cmake
# Writes a C++ source that defines plimsoll::report::viewer_page() as the content of the page.
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(
  WRITE ${SOURCE}
  "#include \"report/page/page_bytes.hpp\"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

constexpr char page[] = {
${bytes}};

}  // namespace

std::string_view viewer_page() { return {page, sizeof page}; }

}  // namespace plimsoll::report
")
