#include <gtest/gtest.h>

#include <plimsoll/pelayout/layout.hpp>
