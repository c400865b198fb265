// The watts of a link, as properties of <link> and of clusters say them.
//
// wattage_range of <link>, farcast:link_wattage_range of <cluster>: "Idle:Busy", of SimGrid 3.32's
// link_energy plugin. wattage_off is checked only: links are never off. Pure functions, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::platform {

// Errors: names the place, what was found, what was expected.
base::Result<LinkPower> read_link_power(const Property& property);

// Reads the properties of a <link>. Returns: unset where they say no watts, or where flows do not
// share it (`sharing`), so that nobody follows its load. Appends to `warnings` what is not used.
// Errors: as above; an unknown farcast: property.
base::Result<std::optional<LinkPower>> read_link_properties(const Properties& properties, Sharing sharing,
                                                            std::vector<std::string>& warnings);

} // namespace farcast::platform
