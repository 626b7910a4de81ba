#pragma once

// Front door of plimsoll::support: errors, files, text and threads for the modules above.
#include <plimsoll/support/brotli_encoder.hpp>
#include <plimsoll/support/child_process.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/input_file.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/lines.hpp>
#include <plimsoll/support/mix_bits.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/output_set.hpp>
#include <plimsoll/support/parallel.hpp>
#include <plimsoll/support/position_hash.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/quoted.hpp>
#include <plimsoll/support/table.hpp>
#include <plimsoll/support/text_buffer.hpp>
#include <plimsoll/support/text_file.hpp>
#include <plimsoll/support/text_source.hpp>
#include <plimsoll/support/utf8.hpp>
#include <plimsoll/support/yaml.hpp>
