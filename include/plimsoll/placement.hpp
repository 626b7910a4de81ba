#pragma once

// Umbrella header of plimsoll::placement: chooses nodes for ranks based on the traffic between them.
#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/placement/traffic_data.hpp>
