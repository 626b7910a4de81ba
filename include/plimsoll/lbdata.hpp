#pragma once

// Umbrella header of plimsoll::lbdata: LB data files in memory and on disk.
#include <plimsoll/lbdata/converter.hpp>
#include <plimsoll/lbdata/data_comparison.hpp>
#include <plimsoll/lbdata/data_specification.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/vt_validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
