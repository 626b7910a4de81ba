#pragma once

// Front door of plimsoll::support: errors, files, text and threads for the modules above.
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/error.hpp>
