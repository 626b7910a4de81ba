#pragma once

// Objects that receive messages wherever they are, and migrate by themselves.
#include <plimsoll/objects/arguments.hpp>
#include <plimsoll/objects/collection.hpp>
#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/element.hpp>
#include <plimsoll/objects/future.hpp>
#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/index.hpp>
#include <plimsoll/objects/local_queue.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/objects/reduction.hpp>
#include <plimsoll/objects/step.hpp>
