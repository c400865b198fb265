// A parsed XML document together with its text, so that messages can name the line of an element or
// an attribute.
//
// Invariant: text() is UTF-8; bytes that are not are taken for Latin-1, so that what is read from
// the file can be printed and written to JSON. Threads: const access from many at once.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/properties.h"
#include "predictor/platform/quantity_text.h"

#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>

namespace farcast::platform {

inline constexpr std::size_t kLongestName = 128; // of hosts, links, zones: there are many

// Returns: the name itself. Errors: it is empty, or longer than kLongestName.
base::Result<std::string> parse_name(std::string_view text);
// The same for a part of a name, which may be empty.
base::Result<std::string> parse_name_part(std::string_view text);

class XmlSource {
public:
  XmlSource(std::string_view text, std::string file_name);

  // Errors: not well-formed XML.
  base::Result<void> parse();
  [[nodiscard]] const pugi::xml_document& document() const { return document_; }

  // Returns: "file:line" of the element's name; with an attribute's name, the line on which that
  // attribute stands.
  [[nodiscard]] std::string place(const pugi::xml_node& element, std::string_view attribute = {}) const;

  // Returns: "file:line: attribute A of <E>".
  [[nodiscard]] std::string label(const pugi::xml_node& element, const char* attribute) const;
  // "file:line: attribute A of <E>: found '...', expected ..."
  [[nodiscard]] tl::unexpected<base::Error> unlike(const pugi::xml_node& element, const char* attribute,
                                                   std::string_view expected) const;
  // "file:line: found <E>, expected ..."; says what is the matter with elements of SimGrid's that
  // have no place in a platform.
  [[nodiscard]] tl::unexpected<base::Error> unlike(const pugi::xml_node& element, std::string_view expected) const;
  // Errors: an attribute that is not in `known`, or stands there twice.
  [[nodiscard]] base::Result<void> check_attributes(const pugi::xml_node& element, std::span<const std::string_view> known) const;

  // Reads a required attribute with one of the parsers of quantity_text.h, or one like them.
  template <class Value, class Parse>
  base::Result<void> required(const pugi::xml_node& element, const char* attribute, Value& target, Parse convert) const {
    if (!element.attribute(attribute)) {
      return missing(element, attribute);
    }
    auto value = convert(element.attribute(attribute).value());
    if (!value) {
      return at_place(label(element, attribute), value.error());
    }
    target = *std::move(value);
    return {};
  }
  // The same for one that may be left out, or be empty.
  template <class Value, class Parse>
  base::Result<void> optional(const pugi::xml_node& element, const char* attribute, Value& target, Parse convert) const {
    return *element.attribute(attribute).value() == '\0' ? base::Result<void>() : required(element, attribute, target, convert);
  }

  // Appends the <prop> children of `element`. Errors: id or value missing, an id twice.
  base::Result<void> read_properties(const pugi::xml_node& element, Properties& properties) const;

private:
  [[nodiscard]] tl::unexpected<base::Error> missing(const pugi::xml_node& element, const char* attribute) const;
  [[nodiscard]] std::string place_at(std::size_t offset) const;
  [[nodiscard]] std::size_t offset_of(const pugi::xml_node& element, std::string_view attribute) const;

  std::string text_;
  std::string file_name_;
  pugi::xml_document document_;
};

} // namespace farcast::platform
