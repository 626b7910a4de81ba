#pragma once

// Umbrella header of plimsoll::lbdata: LB data files in memory and on disk.
#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/elided_phases.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/growing_data_set.hpp>
#include <plimsoll/lbdata/identifier.hpp>
#include <plimsoll/lbdata/message_kinds.hpp>
#include <plimsoll/lbdata/metadata.hpp>
#include <plimsoll/lbdata/object_name.hpp>
#include <plimsoll/lbdata/phase_coverage.hpp>
#include <plimsoll/lbdata/phase_range.hpp>
#include <plimsoll/lbdata/phase_selection.hpp>
#include <plimsoll/lbdata/phase_specification.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/repair_files.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/lbdata/statistics_record.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
