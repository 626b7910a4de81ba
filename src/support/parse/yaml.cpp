#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/yaml.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

constexpr std::size_t max_size_bytes = std::size_t{1} << 20;
// Maximum number of values in the document with all aliases expanded, as readers process it.
constexpr std::size_t max_values = 100'000;

/// Rejects control characters. YAML allows none except white space, and yaml-cpp treats byte 4 as the end of
/// the text.
void check_characters(std::string_view text, const std::string& name) {
  const auto control = std::ranges::find_if(
      text, [](unsigned char byte) { return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r'; });
  if (control == text.end()) return;
  YAML::Mark mark;
  mark.line = static_cast<int>(std::count(text.begin(), control, '\n'));
  throw yaml_error(mark, name, fmt::format("invalid character {:#04x}", static_cast<unsigned char>(*control)),
                   "check that this is a YAML file in UTF-8");
}

/// Detects where documents start, and counts their values.
class DocumentSize : public YAML::EventHandler {
 public:
  explicit DocumentSize(const std::string& name) : name_(name) {}

  const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    start_ = mark;
    open_ = {Open{}};
    size_of_anchor_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, 1); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = size_of_anchor_.find(anchor);
    if (known == size_of_anchor_.end())
      throw yaml_error(mark, name_, "an alias refers to a value that contains it");
    add(mark, YAML::NullAnchor, known->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string&) override {
    add(mark, anchor, 1);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({mark, anchor, 1});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({mark, anchor, 1});
  }
  void OnMapEnd() override { close(); }

 private:
  /// A sequence or mapping that has not ended; the first entry represents the document.
  struct Open {
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::size_t size = 0;
  };

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    add(closed.mark, closed.anchor, closed.size);
  }
  void add(const YAML::Mark& mark, YAML::anchor_t anchor, std::size_t size) {
    if (anchor != YAML::NullAnchor) size_of_anchor_[anchor] = size;
    open_.back().size += size;
    if (open_.back().size > max_values)
      throw yaml_error(mark, name_, fmt::format("more than {} values", max_values),
                       "use fewer values; each use of an alias counts its values again");
  }

  const std::string& name_;
  YAML::Mark start_;
  std::vector<Open> open_ = {Open{}};
  std::map<YAML::anchor_t, std::size_t> size_of_anchor_;
};

/// Checks the number of documents and values. YAML::Load() ignores text after the first document.
/// YAML::LoadAll() finds endless empty documents where none can begin.
void check_size(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentSize document(name);
  if (parser.HandleNextDocument(document) && parser.HandleNextDocument(document))
    throw yaml_error(document.start(), name, "unexpected text after the end of the YAML document",
                     "use a single document");
}

Error unknown_member(const YAML::Node& key, const std::string& name, const YamlMembers& members) {
  std::vector<std::string> known;
  for (const auto& [member, reader] : members) known.push_back(member);
  return yaml_error(key.Mark(), name, fmt::format("unknown member {}", in_quotes(key.Scalar())),
                    did_you_mean(key.Scalar(), known, fmt::format("available: {}", fmt::join(known, ", "))));
}

}  // namespace

YAML::Node parse_yaml(std::string_view text, const std::string& name) {
  if (text.size() > max_size_bytes)
    throw bad_input(fmt::format("too large for a YAML file: {}", format_bytes(text.size())), name,
                    fmt::format("the maximum is {}", format_bytes(max_size_bytes)));
  check_characters(text, name);
  // Marks the end of the document, because yaml-cpp treats the end of the text as the end of a quote.
  const std::string marked = std::string(text) + "\n...\n";
  try {
    check_size(marked, name);
    return YAML::Load(marked);
  } catch (const YAML::DeepRecursion&) {  // its mark is the look-ahead position of the scanner
    throw bad_input("is nested too deeply", name);
  } catch (const YAML::Exception& error) {
    const bool open_quote = error.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
    throw yaml_error(error.mark, name,
                     "is not YAML: " + (open_quote ? "the document ends within quotes" : error.msg));
  }
}

void read_yaml_members(const YAML::Node& mapping, const std::string& name, const YamlMembers& members) {
  std::set<std::string> seen;
  for (const auto& member : mapping) {
    if (!member.first.IsScalar())
      throw yaml_error(member.first.Mark(), name, "invalid value for a key: expected text");
    const std::string& key = member.first.Scalar();
    if (!seen.insert(key).second)
      throw yaml_error(member.first.Mark(), name, fmt::format("duplicate member {}", key));
    const auto known = std::ranges::find(members, key, &YamlMembers::value_type::first);
    if (known == members.end()) throw unknown_member(member.first, name, members);
    known->second(member.second, key);
  }
}

Error yaml_error(const YAML::Mark& mark, const std::string& name, std::string what, std::string suggestion) {
  Diagnostic diagnostic{.what = std::move(what), .file = name, .suggestion = std::move(suggestion)};
  if (!mark.is_null()) diagnostic.line = static_cast<std::uint64_t>(mark.line) + 1;
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

}  // namespace plimsoll::support
