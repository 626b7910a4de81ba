#pragma once

// Umbrella header of plimsoll::documents: results as JSON documents, and the descriptions of their fields.
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/documents/description.hpp>
#include <plimsoll/documents/examinations.hpp>
#include <plimsoll/documents/layouts.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/documents/replays.hpp>
