#pragma once

// Umbrella header of plimsoll::placement: computes from the traffic between ranks on which nodes they should
// be.
#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/placement/rank_file.hpp>
#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/placement/site.hpp>
#include <plimsoll/placement/traffic_data.hpp>
