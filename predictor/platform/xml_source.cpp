#include "predictor/platform/xml_source.h"

#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>

namespace farcast::platform {

namespace {

// The length of the UTF-8 character at the start of `text`; 0: none. Overlong forms and surrogates
// are none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      const auto latin1 = static_cast<unsigned char>(text.front());
      result += static_cast<char>(0xc0U | (latin1 >> 6U));
      result += static_cast<char>(0x80U | (latin1 & 0x3fU));
      text.remove_prefix(1);
    } else {
      result += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return result;
}

struct Absent {
  std::string_view element;
  std::string_view why;
};
// Elements of SimGrid's DTD that have no place here.
constexpr std::array<Absent, 9> kAbsent = {{{"peer", "peers need network coordinates, which are not supported"},
                                            {"include", "SimGrid dropped it: one file holds the platform"},
                                            {"storage", "SimGrid dropped it for <disk> in <host>"},
                                            {"storage_type", "SimGrid dropped it for <disk> in <host>"},
                                            {"mount", "SimGrid dropped it for <disk> in <host>"},
                                            {"model_prop", "SimGrid dropped it"},
                                            {"gpu", "SimGrid dropped it"},
                                            {"argument", "it belongs into <actor>"},
                                            {"link_ctn", "it belongs into <route>"}}};

} // namespace

base::Result<std::string> parse_name_part(std::string_view text) {
  if (text.size() > kLongestName) {
    return base::fail(fmt::format("found {}, expected at most {} characters", in_quotes(text), kLongestName));
  }
  return std::string(text);
}

base::Result<std::string> parse_name(std::string_view text) {
  if (text.empty()) {
    return base::fail("found an empty name, expected one");
  }
  return parse_name_part(text);
}

std::string XmlSource::label(const pugi::xml_node& element, const char* attribute) const {
  return fmt::format("{}: attribute {} of <{}>", place(element, attribute), attribute, element.name());
}

tl::unexpected<base::Error> XmlSource::unlike(const pugi::xml_node& element, const char* attribute,
                                              std::string_view expected) const {
  return base::fail(fmt::format("{}: found {}, expected {}", label(element, attribute),
                                in_quotes(element.attribute(attribute).value()), expected));
}

tl::unexpected<base::Error> XmlSource::unlike(const pugi::xml_node& element, std::string_view expected) const {
  if (element.type() != pugi::node_element) {
    return base::fail(
        fmt::format("{}: found text {}, expected {}", place(element), in_quotes(trimmed(element.value())), expected));
  }
  const std::string_view name = element.name();
  const auto* const absent =
      std::find_if(kAbsent.begin(), kAbsent.end(), [&](const Absent& known) { return known.element == name; });
  return base::fail(fmt::format("{}: found <{}>, expected {}{}{}", place(element),
                                in_quotes(name).substr(1, in_quotes(name).size() - 2), expected,
                                absent == kAbsent.end() ? "" : ": ", absent == kAbsent.end() ? "" : absent->why));
}

tl::unexpected<base::Error> XmlSource::missing(const pugi::xml_node& element, const char* attribute) const {
  return base::fail(fmt::format("{}: found <{}> without attribute {}, expected one", place(element), element.name(), attribute));
}

base::Result<void> XmlSource::check_attributes(const pugi::xml_node& element, std::span<const std::string_view> known) const {
  std::unordered_set<std::string_view> seen;
  for (const pugi::xml_attribute& attribute : element.attributes()) {
    const char* name = attribute.name();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return base::fail(fmt::format("{}: found unknown attribute {} of <{}>, expected one of {}", place(element, name),
                                    in_quotes(name), element.name(), fmt::join(known, ", ")));
    }
    if (!seen.insert(name).second) {
      return base::fail(fmt::format("{}: found it twice, expected it once", label(element, name)));
    }
  }
  return {};
}

XmlSource::XmlSource(std::string_view text, std::string file_name) : text_(as_utf8(text)), file_name_(std::move(file_name)) {}

base::Result<void> XmlSource::parse() {
  const pugi::xml_parse_result parsed =
      document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    return base::fail(fmt::format("{}: found XML that is not well-formed ({}), expected a SimGrid platform file",
                                  place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0))),
                                  parsed.description()));
  }
  return {};
}

std::string XmlSource::place_at(std::size_t offset) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text_.size()));
  return fmt::format("{}:{}", file_name_, 1 + std::count(text_.begin(), end, '\n'));
}

// Walks over the start tag, outside quotes, to the attribute's name.
std::size_t XmlSource::offset_of(const pugi::xml_node& element, std::string_view attribute) const {
  const std::ptrdiff_t start = element.offset_debug();
  if (start < 0) {
    return 0;
  }
  const auto begin = static_cast<std::size_t>(start);
  char quote = '\0';
  for (std::size_t i = begin; !attribute.empty() && i < text_.size(); ++i) {
    const char c = text_[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      break;
    } else if (i > begin && trimmed(std::string_view(&text_[i - 1], 1)).empty() &&
               std::string_view(text_).substr(i).starts_with(attribute)) {
      const std::size_t after = i + attribute.size();
      if (after < text_.size() && (text_[after] == '=' || trimmed(std::string_view(&text_[after], 1)).empty())) {
        return i;
      }
    }
  }
  return begin;
}

std::string XmlSource::place(const pugi::xml_node& element, std::string_view attribute) const {
  return place_at(offset_of(element, attribute));
}

base::Result<void> XmlSource::read_properties(const pugi::xml_node& element, Properties& properties) const {
  std::unordered_set<std::string> seen;
  for (const Property& property : properties) {
    seen.insert(property.id);
  }
  for (const pugi::xml_node& prop : element.children("prop")) {
    for (const char* needed : {"id", "value"}) {
      if (!prop.attribute(needed)) {
        return base::fail(
            fmt::format("{}: found <prop> without attribute {}, expected <prop id=\"...\" value=\"...\"/>", place(prop), needed));
      }
    }
    Property property{prop.attribute("id").value(), prop.attribute("value").value(), place(prop)};
    if (!seen.insert(property.id).second) {
      return base::fail(
          fmt::format("{}: found property {} a second time, expected it once", property.place, in_quotes(property.id)));
    }
    properties.push_back(std::move(property));
  }
  return {};
}

} // namespace farcast::platform
