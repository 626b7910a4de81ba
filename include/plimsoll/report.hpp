#pragma once

// Umbrella header of plimsoll::report: shows measurements in browsers and other programs.
#include <plimsoll/report/data_set_section.hpp>
#include <plimsoll/report/data_tables.hpp>
#include <plimsoll/report/html_page.hpp>
#include <plimsoll/report/phase_trace.hpp>
#include <plimsoll/report/vtk_meshes.hpp>
