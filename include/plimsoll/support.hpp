#pragma once

// Umbrella header of plimsoll::support: errors, files, text and threads for all other modules.
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/examination.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/imbalance.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>
