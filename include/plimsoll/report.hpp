#pragma once

// Umbrella header of plimsoll::report: shows measurements in browsers and other programs.
#include <plimsoll/report/exports.hpp>
#include <plimsoll/report/html_page.hpp>
