#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

#include <plimsoll/support/format.hpp>
#include <plimsoll/support/yaml.hpp>

namespace plimsoll::support {

namespace {

constexpr std::size_t max_size_bytes = std::size_t{1} << 20;

/// YAML has no control characters but blanks, and yaml-cpp takes byte 4 for the end of the text.
void check_characters(std::string_view text, const std::string& name) {
  const auto control = std::ranges::find_if(
      text, [](unsigned char byte) { return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r'; });
  if (control == text.end()) return;
  YAML::Mark mark;
  mark.line = static_cast<int>(std::count(text.begin(), control, '\n'));
  throw yaml_error(mark, name, fmt::format("byte {:#04x} is not text", static_cast<unsigned char>(*control)),
                   "is this a YAML file in UTF-8?");
}

/// Looks where documents start, and at nothing else.
class DocumentStart : public YAML::EventHandler {
 public:
  const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

 private:
  YAML::Mark mark_;
};

/// YAML::Load() ignores what comes after the first document; YAML::LoadAll() finds endless empty documents
/// where none can begin.
void check_single(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  if (parser.HandleNextDocument(start) && parser.HandleNextDocument(start))
    throw yaml_error(start.mark(), name, "the YAML document ends here, but more follows",
                     "put everything into one document");
}

}  // namespace

YAML::Node parse_yaml(std::string_view text, const std::string& name) {
  if (text.size() > max_size_bytes)
    throw bad_input(fmt::format("{} are too much for a YAML file", format_bytes(text.size())), name,
                    fmt::format("at most {} are read", format_bytes(max_size_bytes)));
  check_characters(text, name);
  // The end of the document is marked since yaml-cpp takes the end of the text for the end of a quote.
  const std::string marked = std::string(text) + "\n...\n";
  try {
    check_single(marked, name);
    return YAML::Load(marked);
  } catch (const YAML::DeepRecursion&) {  // its mark is where the scanner looked ahead to
    throw bad_input("is nested too deeply", name);
  } catch (const YAML::Exception& error) {
    const bool open_quote = error.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
    throw yaml_error(error.mark, name,
                     "is not YAML: " + (open_quote ? "the document ends within quotes" : error.msg));
  }
}

Error yaml_error(const YAML::Mark& mark, const std::string& name, std::string what, std::string suggestion) {
  Diagnostic diagnostic{.what = std::move(what), .file = name, .suggestion = std::move(suggestion)};
  if (!mark.is_null()) diagnostic.line = static_cast<std::uint64_t>(mark.line) + 1;
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

}  // namespace plimsoll::support
