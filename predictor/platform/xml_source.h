// A parsed XML document together with its text, so that messages can name the line of an element or an attribute.
//
// Invariant: text() is UTF-8; bytes that are not are taken for Latin-1, so that what is read from the file can be printed
// and written to JSON. Threads: const access from many at once.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/properties.h"

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace farcast::platform {

class XmlSource {
public:
  XmlSource(std::string_view text, std::string file_name);

  // Errors: not well-formed XML.
  base::Result<void> parse();
  [[nodiscard]] const pugi::xml_document& document() const { return document_; }

  // Returns: "file:line" of the element's name; with an attribute's name, the line on which that attribute stands.
  [[nodiscard]] std::string place(const pugi::xml_node& element, std::string_view attribute = {}) const;

  // Appends the <prop> children of `element`. Errors: id or value missing, an id twice.
  base::Result<void> read_properties(const pugi::xml_node& element, Properties& properties) const;

private:
  [[nodiscard]] std::string place_at(std::size_t offset) const;
  [[nodiscard]] std::size_t offset_of(const pugi::xml_node& element, std::string_view attribute) const;

  std::string text_;
  std::string file_name_;
  pugi::xml_document document_;
};

} // namespace farcast::platform
