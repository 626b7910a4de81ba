#pragma once

// Umbrella header of plimsoll::report: shows data sets in other programs.
#include <plimsoll/report/data_tables.hpp>
#include <plimsoll/report/phase_trace.hpp>
#include <plimsoll/report/vtk_meshes.hpp>
