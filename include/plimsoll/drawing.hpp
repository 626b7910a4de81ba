#pragma once

// Umbrella header of plimsoll::drawing: charts, plots and heat maps as text and as SVG.
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/drawing/timeline.hpp>
