// The page as text: the template that the build put into the program, with a document in it.
#pragma once

#include <string>
#include <string_view>

namespace farcast::html {

// Returns: the JSON text as it may stand inside a <script> element: <, > and & and the line
// separators of JavaScript are written as \u escapes. Requires: valid JSON.
std::string inside_script(std::string_view json);

// Returns: the text as it may stand between tags.
std::string escaped(std::string_view text);

// Returns: the whole page. `json`: the document, of schema.md.
std::string page(std::string_view title, std::string_view json);

// The template: what stands before the title, between title and document, and behind it.
struct Template {
  std::string_view before_title;
  std::string_view before_document;
  std::string_view after_document;
};
Template page_template(); // generated

} // namespace farcast::html
