#pragma once

// Front door of plimsoll::placement: from who sends how much to whom, to where ranks should be.
#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/placement/rank_file.hpp>
#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/placement/site.hpp>
#include <plimsoll/placement/traffic_data.hpp>
